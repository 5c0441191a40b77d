import { z } from 'zod'
import { scalarText } from '../../engine/fields/cast.ts'
import { checkShape } from '../../gateway/base/schemas.ts'
import { readJson } from '../../http/body/raw-body.ts'
import { invalid } from '../../platform/common-refusals.ts'
import type { DoorCall } from '../door.ts'
import { MAX_BODY_BYTES } from '../parameters.ts'
import { NOT_OFFERED, sendV1 } from './api-v1.ts'
import { rpcForm } from './errors.ts'

export const RPC = z
  .object({
    method: z
      .string('must be a text')
      .default('')
      .describe('`sms.send_sms`, `sms.send_togroup` or `sms.send_tocontact`.'),
    params: z
      .record(z.string(), z.unknown(), 'must be an object')
      .default({})
      .describe('The parameters of APIv1.'),
  })
  .meta({ id: 'SmseagleCall' })

function textOf(name: string, value: unknown): string {
  const text = scalarText(value)
  if (text !== undefined) return text
  throw invalid(NOT_OFFERED.includes(name) ? `${name} is not supported here` : `${name} must be a text`)
}

export async function answerRpc(call: DoorCall) {
  const { method, params } = checkShape(RPC, await readJson(call.c, MAX_BODY_BYTES, JSON.parse))
  const name = method.replace(/^sms\./, '')
  const isExtended = params.responsetype === 'extended'
  call.c.set('errorForm', rpcForm(isExtended))
  const given = Object.entries(params).map(([key, value]) => [key, textOf(key, value)])
  const ids = await sendV1(call, name, Object.fromEntries(given))
  if (!isExtended) return { result: `OK; ID=${ids.join(',')}` }
  const results = ids.map((message_id) => ({ message_id, status: 'ok' }))
  return { result: results.length === 1 ? results[0] : results }
}
