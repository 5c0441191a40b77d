import { Hono } from 'hono'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { deleteRecord } from '../../engine/records/delete.ts'
import { REFRESH_SCOPE, type Scope } from '../../engine/request/scopes.ts'
import { may } from '../../gateway/base/permissions.ts'
import { checkDevice } from '../../gateway/messages/send/send.ts'
import { IDEMPOTENCY } from '../../gateway/messages/send-routes.ts'
import { sendRaw } from '../../http/answer.ts'
import { buildRequest } from '../../http/authenticate.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env } from '../../http/context.ts'
import { readinessOf } from '../../http/metrics/readiness.ts'
import { SENDS } from '../../http/metrics/traffic.ts'
import { messageForm } from '../../http/middleware/failure.ts'
import { retry } from '../../http/retry.ts'
import { queries } from '../../platform/db/queries.ts'
import { GatewayError } from '../../platform/errors.ts'
import type { GatewayServices, Protocol } from '../gateway-services.ts'
import { addRoutes } from '../route-table.ts'
import { settingsOf, wireDevice } from '../smsgate/wire.ts'
import { CLIENT_PATH, canonicalPath } from './canonical-path.ts'
import { keyIn, requireClient } from './credentials.ts'
import { type Call, describeClientRoutes, type Route, route, SMSGATE_CLIENT_TAGS } from './define-route.ts'
import { cancelSend, findSend } from './find-send.ts'
import { INBOX_QUERY, listInbox, sendAttachment } from './inbox.ts'
import { REFRESH_BODY, refreshInbox } from './inbox-refresh.ts'
import { issueTokens, refreshTokens, revokeTokens, TOKEN_BODY } from './issue-tokens.ts'
import { LIST_QUERY, listMessages, type Page } from './list-messages.ts'
import { SEND_BODY } from './send-body.ts'
import { answerSend } from './send-message.ts'
import { stateOf } from './send-state.ts'
import {
  readSigningKey,
  SETTINGS_BODY,
  setSigningKey,
  signingKeyPaths,
  signingKeyRoutes,
} from './signing-key.ts'
import { queryIn } from './values.ts'
import { deleteWebhook, listWebhooks, saveWebhook, WEBHOOK_BODY } from './webhooks.ts'

async function listDevices({ store: { db }, user }: Call) {
  const devices = await queries(db)
    .selectFrom('devices')
    .select(['id', 'name', 'created', 'sims'])
    .select(sql<string>`coalesce(nullif(updated, ''), created)`.as('updated'))
    .select(sql<string>`coalesce(nullif(last_seen, ''), created)`.as('last_seen'))
    .where('user', '=', user)
    .orderBy('devices.created')
    .orderBy('id')
    .execute()
  return devices.map(wireDevice)
}

/** Deletes a device of the caller. Its waiting messages go to other devices. Throws 404. */
async function deleteDevice({ c, services, store, auth, attempt, id }: Call): Promise<void> {
  await checkDevice(store, auth.id, id)
  const devices = store.catalog.find('devices')!
  await deleteRecord(store, services.extensions, devices, id, buildRequest(c, auth, {}), attempt)
}

/** Ten times the bytes of a long text to 100 numbers. */
const MAX_BODY_BYTES = 1 << 20

const TOTAL = z.object({ 'X-Total-Count': z.string().describe('How many there are in all.') })
const LOCATION = z.object({ Location: z.string(), 'Idempotent-Replayed': z.enum(['true']).optional() })

const PHONE_SETTINGS = (() => {
  const { webhooks, ...others } = settingsOf({ signingKey: '' })
  const { signing_key: _, ...shown } = webhooks
  return { ...others, webhooks: shown }
})()

/** A route that answers a page of a list. `schema` checks the query. */
const listRoute = <Q extends z.ZodObject>(
  at: string,
  scope: Scope,
  summary: string,
  schema: Q,
  list: (store: Store, user: string, query: z.output<Q>) => Promise<Page<unknown>>,
) =>
  route(
    at,
    scope,
    summary,
    async ({ c, store, user }) => {
      const { items, total } = await list(store, user, queryIn(c, schema))
      c.header('X-Total-Count', String(total))
      // scripts of other origins can read only headers that are named here
      c.header('Access-Control-Expose-Headers', 'X-Total-Count')
      return items
    },
    { query: Object.keys(schema.shape), answer: [200, 'A page of them.', undefined, TOTAL] },
  )

const ROUTES: readonly Route[] = [
  route('POST /messages', 'messages:send', 'Send a text', answerSend, {
    query: ['skipPhoneValidation', 'deviceActiveWithin'],
    header: IDEMPOTENCY,
    body: SEND_BODY,
    answer: [202, 'Accepted.', undefined, LOCATION],
  }),
  listRoute('GET /messages', 'messages:list', 'List sends of this API', LIST_QUERY, listMessages),
  route('GET /messages/{id}', 'messages:read', 'Read the state of a send', async ({ store, user, id }) =>
    stateOf(store, user, await findSend(store, user, id)),
  ),
  route('DELETE /messages/{id}', 'messages:cancel', 'Cancel what no device has begun', async (call) => {
    const { store, user, id } = call
    const send = await findSend(store, user, id)
    await cancelSend(store, may(call, 'cancel'), send)
    return stateOf(store, user, send)
  }),
  route(
    'POST /messages/inbox/export',
    'messages:export',
    'Read inboxes again and tell webhooks (the old form)',
    async ({ c, store, user, json }) => {
      c.header('Deprecation', 'true')
      return refreshInbox(store, user, json, true)
    },
    {
      body: REFRESH_BODY,
      answer: [202, 'Asked.', undefined, z.object({ Deprecation: z.literal('true') })],
    },
  ),
  route('GET /devices', 'devices:list', 'List devices', listDevices),
  route('DELETE /devices/{id}', 'devices:delete', 'Delete a device', deleteDevice, {
    answer: [204, 'Deleted.'],
  }),
  listRoute('GET /inbox', 'inbox:list', 'List incoming texts', INBOX_QUERY, listInbox),
  route(
    'POST /inbox/refresh',
    'inbox:refresh',
    'Read inboxes of phones again',
    ({ store, user, json }) => refreshInbox(store, user, json),
    { body: REFRESH_BODY, answer: [202, 'Asked.'] },
  ),
  route(
    'GET /inbox/{id}/attachments/{part}',
    'inbox:list',
    'Read a file of an incoming text',
    sendAttachment,
    { isFile: true },
  ),
  route('GET /webhooks', 'webhooks:list', "List webhooks of SMSGate's form", listWebhooks),
  route('POST /webhooks', 'webhooks:write', 'Add a webhook, or replace the one with its id', saveWebhook, {
    body: WEBHOOK_BODY,
    answer: [201, 'Saved.'],
  }),
  route('DELETE /webhooks/{id}', 'webhooks:delete', 'Delete a webhook', deleteWebhook, {
    answer: [204, 'There is none with this id.'],
  }),
  route('GET /settings', 'settings:read', 'Read the settings of phones', async () => PHONE_SETTINGS),
  ...['PATCH', 'PUT'].map((method) =>
    route(
      `${method} /settings`,
      'settings:write',
      'Set the key that webhooks are signed with',
      async ({ store, user, json }) => {
        const key = readSigningKey(json)
        if (key !== undefined) await setSigningKey(store.db, user, key)
        return PHONE_SETTINGS
      },
      { body: SETTINGS_BODY },
    ),
  ),
  route('POST /auth/token', 'tokens:manage', 'Make a pair of tokens', issueTokens, {
    body: TOKEN_BODY,
    answer: [201, 'The pair.'],
  }),
  route('POST /auth/token/refresh', REFRESH_SCOPE, 'Trade a refresh token for another pair', refreshTokens, {
    answer: [201, 'The pair.'],
  }),
  route('DELETE /auth/token/{id}', 'tokens:manage', 'Revoke a pair of tokens', revokeTokens, {
    answer: [204, 'There is none with this id.'],
  }),
  route(
    'GET /logs',
    'logs:read',
    'Not kept',
    () => Promise.reject(new GatewayError(501, { message: 'Logs of devices are not kept: see sms_events' })),
    { query: ['from', 'to'], answer: [501, 'Logs of devices are not kept.'] },
  ),
]

/** The API of SMSGate's server for client programs. */
export const SMSGATE_CLIENT: Protocol = {
  group: 'smsgate_clients',
  groups: { [`POST ${CLIENT_PATH}/messages`]: SENDS },
  roots: [CLIENT_PATH],
  errorForm: messageForm,
  routes: clientRoutes,
  tags: SMSGATE_CLIENT_TAGS,
  paths: () => ({ ...describeClientRoutes(ROUTES), ...signingKeyPaths() }),
  canonicalPath,
  pathMark: '/3rdparty/v1',
  keyIn,
}

function clientRoutes(services: GatewayServices): Hono<Env> {
  const app = new Hono<Env>().on('GET', HEALTH_PATHS, healthOf(services))
  addRoutes<Call, Route>(app, CLIENT_PATH, ROUTES, (c, { scope, body }, work) => {
    // the body is read once, even if `retry` repeats the work
    let json: Promise<unknown> | undefined
    return retry(
      services.store,
      (isCached) => requireClient(c, services, scope, isCached),
      async (caller, attempt) => {
        json ??= body && readJson(c, MAX_BODY_BYTES, JSON.parse)
        return work({ ...caller, c, services, id: c.req.param('id') ?? '', json: await json, attempt })
      },
      // the SQL of a send compares the versions of a cached caller
      { startsCached: scope === 'messages:send' },
    )
  })
  return app.route('/', signingKeyRoutes(services))
}

const HEALTH_PATHS = [`${CLIENT_PATH}/health`, `${CLIENT_PATH}/health/:probe{live|ready|startup}`]

/** Makes the handler of health checks: 503 unless the server is ready. */
function healthOf(services: GatewayServices) {
  const probe = readinessOf(services.store.forEverybody('metrics'), services.stopping)
  return async (c: Ctx): Promise<Response> => {
    const begun = performance.now()
    const { ready } = await probe()
    const status = ready ? 'pass' : 'fail'
    const ping = {
      description: 'Time for the database to answer',
      observedUnit: 'milliseconds',
      observedValue: Math.round(performance.now() - begun),
      status,
    }
    // the version of SMSGate that has this API: the version of this server is not public
    const health = { status, version: '1.47.1', releaseId: 1, checks: { 'db:ping': ping } }
    return sendRaw(c, JSON.stringify(health), ready ? 200 : 503)
  }
}
