import { Hono } from 'hono'
import type { z } from 'zod'
import { pickFields } from '../../engine/records/pick.ts'
import { NO_REQUEST } from '../../engine/request/request.ts'
import { sendJson, sendRaw } from '../../http/answer.ts'
import { meterFor } from '../../http/authenticate.ts'
import type { Ctx, Env, Services } from '../../http/context.ts'
import type { Operation } from '../../http/openapi/operations.ts'
import { FIELDS_ONLY } from '../../http/openapi/record-parameters.ts'
import { pageOf } from '../../http/openapi/record-schema.ts'
import { queryOf } from '../../http/query.ts'
import { describeRefusals } from '../base/describe-refusals.ts'
import { gatewayRefusal } from '../base/refusals.ts'
import { checkShape } from '../base/schemas.ts'
import { findSentTexts, SENT_QUERY } from './find-sent-texts.ts'
import { type SendingCaller, withReader } from './sender.ts'

/** `GET /api/sms/messages`: the state of texts, for the API key that has sent them. */
export function sentTextRoutes(services: Services): Hono<Env> {
  const read = (c: Ctx, work: (caller: SendingCaller) => Promise<string>) =>
    withReader(c, services, 'readMessage', work)
  const requestOf = (c: Ctx, { auth }: SendingCaller) => ({ ...NO_REQUEST, auth, meter: meterFor(c, auth) })
  return new Hono<Env>()
    .get('/messages', async (c) => {
      const { page = 1, perPage = 100, fields, ...named } = checkShape(SENT_QUERY, queryOf(c))
      const text = await read(c, async (caller) => {
        const place = { page, perPage }
        const { items, total } = await findSentTexts(caller.store, caller, requestOf(c, caller), named, place)
        const pages = Math.ceil(total / perPage)
        return `{"items":[${items.join(',')}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
      })
      return sendRaw(c, fields ? pickFields(text, fields, 'items') : text)
    })
    .get('/messages/:id', async (c) => {
      const text = await read(c, async (caller) => {
        const ids = { ids: [c.req.param('id')] }
        const { items } = await findSentTexts(caller.store, caller, requestOf(c, caller), ids)
        return items[0] ?? Promise.reject(gatewayRefusal('message_not_found'))
      })
      return sendJson(c, text)
    })
}

const WHOSE =
  'An API key reads the texts that it has sent itself; it needs the scope `messages:read`. A signed-in user reads all outgoing texts of the account.'

export const sentTextOperations = (message: z.ZodObject): Readonly<Record<string, Operation>> => ({
  'GET /api/sms/messages': {
    id: 'listSentTexts',
    summary: 'Read several texts that you have sent',
    description: `Name them by \`ids\`, \`client_ref\` or \`batch\`. ${WHOSE}`,
    params: { query: SENT_QUERY },
    answer: ['The texts, in the order in which they were sent.', pageOf(message, 'SentTexts')],
    refuses: describeRefusals('invalid_request'),
  },
  'GET /api/sms/messages/{id}': {
    id: 'readSentText',
    summary: 'Read a text that you have sent, with its status',
    description: WHOSE,
    params: FIELDS_ONLY,
    answer: ['The record of the text.', message],
    refuses: describeRefusals('message_not_found'),
  },
})
