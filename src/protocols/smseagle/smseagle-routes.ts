import { z } from 'zod'
import { toScalarText } from '../../engine/fields/convert-values.ts'
import { acceptNumber, checkShape, keepsDigits } from '../../gateway/base/body-schemas.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { sendError, sendMessageError } from '../../http/middleware/answer-errors.ts'
import type { ErrorForm } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Protocol } from '../gateway-services.ts'
import {
  ALLOW_KEY_PARAMETER,
  allowKeyHeader,
  type DoorCall,
  defineSendRoute,
  makeSendOnlyProtocol,
} from '../send-only-protocol.ts'
import { NOT_OFFERED, refuseOtherParameters, sendOverV1, V1_ROUTES } from './api-v1.ts'
import { sendToNamed } from './send-to-named.ts'

/** The sentence that explains an error. For status 400 it begins with SMSEagle's words. */
const explainEagleError = ({ status, message }: { status: number; message: string }): string =>
  status === 400 ? `Wrong parameters: ${message}` : message

/** An error in JSON-RPC. `result`: a sentence, or an object if the request's `responsetype` is `extended`. */
const makeRpcErrorForm =
  (isExtended: boolean): ErrorForm =>
  (c, error) => {
    const error_text = explainEagleError(error)
    return sendError(c, error.status, {
      result: isExtended ? { error_text, status: 'error' } : error_text,
    })
  }

/** Errors in the form of one of SMSEagle's APIs. The path decides which one, even a path without a route. */
const sendEagleError: ErrorForm = (c, error) => {
  if (c.req.path.startsWith('/api/')) return sendMessageError(c, error)
  if (c.req.path.startsWith('/jsonrpc')) return makeRpcErrorForm(false)(c, error)
  return c.text(explainEagleError(error), error.status as 400)
}

const RPC = z
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

function requireTextParameter(name: string, value: unknown): string {
  const text = toScalarText(value)
  const isWhole = typeof value !== 'number' || keepsDigits(value)
  if (text !== undefined && isWhole) return text
  throw invalidRequest(
    NOT_OFFERED.includes(name) ? `${name} is not supported here` : `${name} must be a text`,
  )
}

async function answerRpc(call: DoorCall) {
  const { method, params } = checkShape(RPC, await readJsonBody(call.c, JSON.parse))
  const name = method.replace(/^sms\./, '')
  const isExtended = params.responsetype === 'extended'
  call.c.set('errorForm', makeRpcErrorForm(isExtended))
  const given = Object.entries(params).map(([key, value]) => [
    key,
    requireTextParameter(key, value),
  ])
  const ids = await sendOverV1(call, name, Object.fromEntries(given))
  if (!isExtended) return { result: `OK; ID=${ids.join(',')}` }
  const results = ids.map((message_id) => ({ message_id, status: 'ok' }))
  return { result: results.length === 1 ? results[0] : results }
}

const names = z
  .array(acceptNumber(z.string('must be a name')), 'must be a list')
  .nullish()
  .transform((list) => list ?? [])
const MESSAGE = z
  .object({
    to: names.describe('Numbers.'),
    contacts: names.describe('Names of contacts.'),
    groups: names.describe('Names of groups.'),
    text: acceptNumber(z.string('must be a text')),
    priority: z.coerce.number('must be a number').nullish(),
    date: z.string('must be a text').nullish().describe('Not before this instant.'),
  })
  .meta({ id: 'SmseagleMessage' })

async function answerV2(call: DoorCall) {
  const sent = await sendToNamed(call, async () => {
    const json = await readJsonBody(call.c, JSON.parse)
    const {
      to,
      contacts,
      groups,
      text: body,
      priority,
      date: scheduled_at,
    } = checkShape(MESSAGE, json)
    refuseOtherParameters(
      json as object as Readonly<Record<string, unknown>>,
      NOT_OFFERED.filter((name) => name !== 'date'),
    )
    const named = { to: to.join(','), contacts: contacts.join(','), groups: groups.join(',') }
    return { named, body, priority, scheduled_at }
  })
  return sent.map((message) => ({ status: 'queued', message: 'OK', ...message }))
}

const fault = z.strictObject({ error_text: z.string(), status: z.literal('error') })

const OTHERS = makeRoutes('smseagle', {
  'POST /jsonrpc/sms': defineSendRoute(
    ALLOW_KEY_PARAMETER,
    {
      summary: 'Send a text (JSON-RPC)',
      body: RPC,
      error: z.strictObject({ result: z.union([z.string(), fault]) }).meta({ id: 'SmseagleFault' }),
    },
    answerRpc,
  ),
  'POST /api/v2/messages/sms': defineSendRoute(
    allowKeyHeader('access-token', 'accessToken'),
    {
      summary: 'Send a text (APIv2)',
      body: MESSAGE,
      error: z.strictObject({ message: z.string() }).meta({ id: 'SmseagleError' }),
    },
    answerV2,
  ),
})

/** SMSEagle's APIs for programs that send texts. Paths may begin with `/index.php`. */
export const SMSEAGLE: Protocol = {
  ...makeSendOnlyProtocol(
    'smseagle',
    'What an SMSEagle offers to programs that send texts.',
    ['/http_api', '/jsonrpc', '/api/v2/messages', '/index.php'],
    [...V1_ROUTES, ...OTHERS],
    sendEagleError,
  ),
  canonicalPath: (path) => path.replace(/^\/index\.php(?=\/)/, ''),
  pathMark: '/index.php/',
}
