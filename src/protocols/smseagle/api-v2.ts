import { z } from 'zod'
import { checkShape } from '../../gateway/base/schemas.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { DoorCall } from '../door.ts'
import { MAX_BODY_BYTES } from '../parameters.ts'
import { NOT_OFFERED, refuseOthers } from './api-v1.ts'
import { sendTo } from './send-to.ts'

const names = z
  .array(z.union([z.string(), z.number()], 'must be a name'), 'must be a list')
  .nullish()
  .transform((list) => list ?? [])
export const MESSAGE = z
  .object({
    to: names.describe('Numbers.'),
    contacts: names.describe('Names of contacts.'),
    groups: names.describe('Names of groups.'),
    text: z.string('must be a text'),
    priority: z.coerce.number('must be a number').nullish(),
    date: z.string('must be a text').nullish().describe('Not before this instant.'),
  })
  .meta({ id: 'SmseagleMessage' })

export async function answerV2(call: DoorCall) {
  const key = String(call.c.env.incoming.headers['access-token'] ?? '')
  const json = await readJson(call.c, MAX_BODY_BYTES, JSON.parse)
  const sent = await sendTo(call, { key }, () => {
    const { to, contacts, groups, text: body, priority, date: scheduled_at } = checkShape(MESSAGE, json)
    refuseOthers(
      json as object as Readonly<Record<string, unknown>>,
      NOT_OFFERED.filter((name) => name !== 'date'),
    )
    const named = { to: to.join(','), contacts: contacts.join(','), groups: groups.join(',') }
    return { named, body, priority, scheduled_at }
  })
  return sent.map((message) => ({ status: 'queued', message: 'OK', ...message }))
}
