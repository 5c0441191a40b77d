import { z } from 'zod'
import { REFRESH_SCOPE, type TokenScope } from '../../engine/request/scopes.ts'
import { findRecords } from '../../gateway/base/find-records.ts'
import { requirePermit } from '../../gateway/base/permissions.ts'
import { deleteAsCaller } from '../../gateway/messages/audited-records.ts'
import { cancelSend, findSend } from '../../gateway/messages/find-send.ts'
import { checkDevice } from '../../gateway/messages/send/prepare-offer.ts'
import { renderDevice } from '../../gateway/smsgate-app/app-json.ts'
import type { Bound, RouteBound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { sendMessageError } from '../../http/middleware/answer-errors.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { Protocol } from '../gateway-services.ts'
import { OF_SEND } from '../send-only-protocol.ts'
import { CLIENT_PATH, toCanonicalPath } from './canonical-path.ts'
import { type Call, defineRoute, TAG } from './define-route.ts'
import { HEALTH } from './health-routes.ts'
import { REFRESH_BODY, refreshInbox } from './inbox-refresh.ts'
import { issueTokens, refreshTokens, revokeTokens, TOKEN_BODY } from './issue-tokens.ts'
import { INBOX_QUERY, listInbox, sendAttachment } from './list-inbox.ts'
import { LIST_QUERY, listMessages, type Page } from './list-messages.ts'
import { MAX_SEND_BYTES, SEND_BODY } from './send-body.ts'
import { answerSend } from './send-message.ts'
import { readSendState } from './send-state.ts'
import { defineKeyRoute, PHONE_SETTINGS, SIGNING_KEY_ROUTES } from './signing-key.ts'
import { checkQuery } from './smsgate-values.ts'
import { deleteWebhook, listWebhooks, saveWebhook, WEBHOOK_BODY } from './webhooks.ts'

/** All devices of a user, 100 at most. */
async function listDevices(call: Call) {
  const part = { sort: 'created,id' }
  return (await findRecords(call, 'devices', part)).records.map(renderDevice)
}

/** Deletes a device of the caller. Other devices take over its waiting messages. Throws 404. */
async function deleteDevice(call: Call): Promise<void> {
  const { c, store, auth, attempt, id } = call
  await checkDevice(store, auth.id, id)
  await deleteAsCaller(call, 'devices', id, c.env.incoming.describe(auth, {}), attempt)
}

const TOTAL = z.object({ 'X-Total-Count': z.string().describe('How many there are in all.') })
const LOCATION = z.object({
  Location: z.string(),
  'Idempotent-Replayed': z.enum(['true']).optional(),
})

/** A row that answers a page of a list. `schema` checks the query. */
const listRoute = <Q extends z.ZodObject>(
  scope: TokenScope,
  summary: string,
  bound: RouteBound,
  schema: Q,
  list: (caller: Call, query: z.output<Q>) => Promise<Page<unknown>>,
) =>
  defineRoute(
    scope,
    summary,
    bound,
    async (call) => {
      const { c } = call
      const { items, total } = await list(call, checkQuery(c, schema))
      c.header('X-Total-Count', String(total))
      return items
    },
    { query: Object.keys(schema.shape), answer: [200, 'A page of them.', undefined, TOTAL] },
  )

const OF_RECIPIENTS: Bound = { cost: 'texts of the send', by: '`MAX_RECIPIENTS`' }
const OF_PERIOD: Bound = { cost: 'incoming texts of the period', by: '1,000 deliveries a request' }
const OF_DEVICES: Bound = {
  cost: 'devices of the user; a delete: the rows of a deleted record',
  by: 'one index scan; 30 s',
}
const OF_WEBHOOKS: Bound = { cost: 'webhooks', by: '20 webhooks of a user' }

/** OpenAPI has one spelling of each path; `toCanonicalPath` has the others. */
const ROUTES = makeRoutes(TAG, {
  // the server in SMSGate's app answers so, and programs ask it first
  'GET /api/3rdparty/v1': defineRoute('', 'Whether the credentials work', 'no rows', () =>
    Promise.resolve({ status: 'ok', model: 'pocketsms' }),
  ),
  'POST /api/3rdparty/v1/messages': defineRoute(
    'messages:send',
    'Send a text or pictures',
    OF_SEND,
    answerSend,
    {
      query: ['skipPhoneValidation', 'deviceActiveWithin'],
      idempotent: true,
      body: SEND_BODY,
      answer: [202, 'Accepted.', undefined, LOCATION],
    },
    MAX_SEND_BYTES,
  ),
  'GET /api/3rdparty/v1/messages': listRoute(
    'messages:list',
    'List sends of this API',
    { cost: 'sends of the user', by: 'turns' },
    LIST_QUERY,
    listMessages,
  ),
  'GET /api/3rdparty/v1/messages/:id': defineRoute(
    'messages:read',
    'Read the state of a send',
    OF_RECIPIENTS,
    async (call) => readSendState(call.store, call.user, await findSend(call, call.id)),
  ),
  'DELETE /api/3rdparty/v1/messages/:id': defineRoute(
    'messages:cancel',
    'Cancel what no device has begun',
    OF_RECIPIENTS,
    async (call) => {
      const { store, user, id } = call
      const send = await findSend(call, id)
      await cancelSend(store, requirePermit(call, 'cancel'), send)
      return readSendState(store, user, send)
    },
  ),
  'POST /api/3rdparty/v1/messages/inbox/export': defineRoute(
    'messages:export',
    'Read inboxes again and tell webhooks (the old form)',
    OF_PERIOD,
    async ({ c, store, user, json }) => {
      c.header('Deprecation', 'true')
      return refreshInbox(store, user, json, true)
    },
    {
      body: REFRESH_BODY,
      answer: [202, 'Asked.', undefined, z.object({ Deprecation: z.literal('true') })],
    },
  ),
  'GET /api/3rdparty/v1/devices': defineRoute(
    'devices:list',
    'List devices',
    OF_DEVICES,
    listDevices,
  ),
  'DELETE /api/3rdparty/v1/devices/:id': defineRoute(
    'devices:delete',
    'Delete a device',
    OF_DEVICES,
    deleteDevice,
    {
      answer: [204, 'Deleted.'],
    },
  ),
  'GET /api/3rdparty/v1/inbox': listRoute(
    'inbox:list',
    'List incoming texts',
    { cost: 'incoming texts of the user', by: 'turns' },
    INBOX_QUERY,
    listInbox,
  ),
  'POST /api/3rdparty/v1/inbox/refresh': defineRoute(
    'inbox:refresh',
    'Read inboxes of phones again',
    OF_PERIOD,
    ({ store, user, json }) => refreshInbox(store, user, json),
    { body: REFRESH_BODY, answer: [202, 'Asked.'] },
  ),
  'GET /api/3rdparty/v1/inbox/:id/attachments/:part': defineRoute(
    'inbox:list',
    'Read a file of an incoming text',
    'pieces',
    sendAttachment,
    { isFile: true },
  ),
  'GET /api/3rdparty/v1/webhooks': defineRoute(
    'webhooks:list',
    "List webhooks of SMSGate's form",
    OF_WEBHOOKS,
    listWebhooks,
  ),
  'POST /api/3rdparty/v1/webhooks': defineRoute(
    'webhooks:write',
    'Add a webhook, or replace the one with its id',
    OF_WEBHOOKS,
    saveWebhook,
    { body: WEBHOOK_BODY, answer: [201, 'Saved.'] },
  ),
  'DELETE /api/3rdparty/v1/webhooks/:id': defineRoute(
    'webhooks:delete',
    'Delete a webhook',
    OF_WEBHOOKS,
    deleteWebhook,
    {
      answer: [204, 'There is none with this id.'],
    },
  ),
  'GET /api/3rdparty/v1/settings': defineRoute(
    'settings:read',
    'Read the settings of phones',
    'keys',
    async () => PHONE_SETTINGS,
  ),
  'PATCH /api/3rdparty/v1/settings': defineKeyRoute(),
  'PUT /api/3rdparty/v1/settings': defineKeyRoute(),
  'POST /api/3rdparty/v1/auth/token': defineRoute(
    'tokens:manage',
    'Make a pair of tokens',
    'keys',
    issueTokens,
    {
      body: TOKEN_BODY,
      answer: [201, 'The pair.'],
    },
  ),
  'POST /api/3rdparty/v1/auth/token/refresh': defineRoute(
    REFRESH_SCOPE,
    'Trade a refresh token for another pair',
    'keys',
    refreshTokens,
    { answer: [201, 'The pair.'] },
  ),
  'DELETE /api/3rdparty/v1/auth/token/:id': defineRoute(
    'tokens:manage',
    'Revoke a pair of tokens',
    'keys',
    revokeTokens,
    {
      answer: [204, 'There is none with this id.'],
    },
  ),
  'GET /api/3rdparty/v1/logs': defineRoute(
    'logs:read',
    'Not kept',
    'no rows',
    () =>
      Promise.reject(
        new GatewayError(501, { message: 'Logs of devices are not kept: see sms_events' }),
      ),
    { query: ['from', 'to'], answer: [501, 'Logs of devices are not kept.'] },
  ),
})

/** The API of SMSGate's server for client programs. */
export const SMSGATE_CLIENT: Protocol = {
  group: 'smsgate_clients',
  groups: { [`POST ${CLIENT_PATH}/messages`]: 'send' },
  roots: [CLIENT_PATH],
  errorForm: sendMessageError,
  rows: [...ROUTES, ...HEALTH, ...SIGNING_KEY_ROUTES],
  tags: [
    {
      name: TAG,
      description:
        'For programs written for SMSGate\'s server. The same routes are at `/3rdparty/v1`; `message`, `device` and `webhook` stand for `messages`, `devices` and `webhooks`, `inbox/export` for `messages/inbox/export`. Errors are `{"message"}`.',
    },
  ],
  canonicalPath: toCanonicalPath,
  pathMark: '/3rdparty/v1',
}
