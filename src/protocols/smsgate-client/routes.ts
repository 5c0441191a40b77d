import { Hono } from 'hono'
import { z } from 'zod'
import { REFRESH_SCOPE } from '../../auth/tokens/scopes.ts'
import { GatewayError } from '../../errors.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Protocol, Services } from '../../http/context.ts'
import { messageForm } from '../../http/middleware/error-forms.ts'
import { queryOf } from '../../http/query.ts'
import { sendRaw } from '../../http/request-info.ts'
import { retry } from '../../http/retry.ts'
import { IDEMPOTENCY } from '../../http/routes/sms.ts'
import { readinessOf } from '../../metrics/readiness.ts'
import { SENDS } from '../../metrics/traffic.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { addRoutes } from '../route-table.ts'
import { settingsOf } from '../smsgate/wire.ts'
import { keyIn, requireClient } from './credentials.ts'
import { type Call, describeClientRoutes, type Route, SMSGATE_CLIENT_TAGS } from './description.ts'
import { deleteDevice, listDevices } from './devices.ts'
import { healthOf } from './health.ts'
import { INBOX_QUERY, listInbox, sendAttachment } from './inbox/inbox.ts'
import { REFRESH_BODY, refreshInbox } from './inbox/inbox-refresh.ts'
import { LIST_QUERY, listMessages, type Page } from './list-messages.ts'
import { cancelSend, findSend, stateOf } from './message-state.ts'
import { CLIENT_PATH, canonicalPath } from './path.ts'
import { givenIn } from './query.ts'
import { SEND_BODY } from './send-body.ts'
import { answerSend } from './send-message.ts'
import { issueTokens, refreshTokens, revokeTokens, TOKEN_BODY } from './tokens.ts'
import { readSigningKey, SETTINGS_BODY, setSigningKey } from './webhooks/signing-key.ts'
import { signingKeyPaths, signingKeyRoutes } from './webhooks/signing-key-routes.ts'
import { deleteWebhook, listWebhooks, saveWebhook, WEBHOOK_BODY } from './webhooks/webhooks.ts'

/** Ten times the bytes of a long text to 100 numbers. */
const MAX_BODY_BYTES = 1 << 20

const TOTAL = z.object({ 'X-Total-Count': z.string().describe('How many there are in all.') })
const LOCATION = z.object({ Location: z.string(), 'Idempotent-Replayed': z.enum(['true']).optional() })

const PHONE_SETTINGS = (() => {
  const { webhooks, ...others } = settingsOf({ signingKey: '' })
  const { signing_key: _, ...shown } = webhooks
  return { ...others, webhooks: shown }
})()

const ROUTES: readonly Route[] = [
  {
    at: 'POST /messages',
    summary: 'Send a text',
    scope: 'messages:send',
    startsCached: true,
    query: ['skipPhoneValidation', 'deviceActiveWithin'],
    header: IDEMPOTENCY,
    body: SEND_BODY,
    answer: [202, 'Accepted.', undefined, LOCATION],
    work: answerSend,
  },
  {
    at: 'GET /messages',
    summary: 'List sends of this API',
    scope: 'messages:list',
    query: Object.keys(LIST_QUERY.shape),
    answer: [200, 'A page of them.', undefined, TOTAL],
    work: async ({ c, store, user }) => paged(c, await listMessages(store, user, queryIn(c, LIST_QUERY))),
  },
  {
    at: 'GET /messages/{id}',
    summary: 'Read the state of a send',
    scope: 'messages:read',
    work: async ({ c, store, user }) => stateOf(store, user, await findSend(store, user, idIn(c))),
  },
  {
    at: 'DELETE /messages/{id}',
    summary: 'Cancel what no device has begun',
    scope: 'messages:cancel',
    async work({ c, store, user }) {
      const send = await findSend(store, user, idIn(c))
      await cancelSend(store, user, send)
      return stateOf(store, user, send)
    },
  },
  {
    at: 'POST /messages/inbox/export',
    summary: 'Read inboxes again and tell webhooks (the old form)',
    scope: 'messages:export',
    body: REFRESH_BODY,
    answer: [202, 'Asked.', undefined, z.object({ Deprecation: z.literal('true') })],
    async work({ c, store, user, json }) {
      c.header('Deprecation', 'true')
      return refreshInbox(store, user, json, true)
    },
  },
  {
    at: 'GET /devices',
    summary: 'List devices',
    scope: 'devices:list',
    work: ({ store, user }) => listDevices(store, user),
  },
  {
    at: 'DELETE /devices/{id}',
    summary: 'Delete a device',
    scope: 'devices:delete',
    answer: [204, 'Deleted.'],
    work: (call) => deleteDevice(call, idIn(call.c)),
  },
  {
    at: 'GET /inbox',
    summary: 'List incoming texts',
    scope: 'inbox:list',
    query: Object.keys(INBOX_QUERY.shape),
    answer: [200, 'A page of them.', undefined, TOTAL],
    work: async ({ c, store, user }) => paged(c, await listInbox(store, user, queryIn(c, INBOX_QUERY))),
  },
  {
    at: 'POST /inbox/refresh',
    summary: 'Read inboxes of phones again',
    scope: 'inbox:refresh',
    body: REFRESH_BODY,
    answer: [202, 'Asked.'],
    work: ({ store, user, json }) => refreshInbox(store, user, json),
  },
  {
    at: 'GET /inbox/{id}/attachments/{part}',
    summary: 'Read a file of an incoming text',
    scope: 'inbox:list',
    isFile: true,
    work: sendAttachment,
  },
  {
    at: 'GET /webhooks',
    summary: "List webhooks of SMSGate's form",
    scope: 'webhooks:list',
    work: ({ store, user }) => listWebhooks(store, user),
  },
  {
    at: 'POST /webhooks',
    summary: 'Add a webhook, or replace the one with its id',
    scope: 'webhooks:write',
    body: WEBHOOK_BODY,
    answer: [201, 'Saved.'],
    work: saveWebhook,
  },
  {
    at: 'DELETE /webhooks/{id}',
    summary: 'Delete a webhook',
    scope: 'webhooks:delete',
    answer: [204, 'There is none with this id.'],
    work: (call) => deleteWebhook(call, idIn(call.c)),
  },
  {
    at: 'GET /settings',
    summary: 'Read the settings of phones',
    scope: 'settings:read',
    work: async () => PHONE_SETTINGS,
  },
  ...(['PATCH', 'PUT'] as const).map(
    (method): Route => ({
      at: `${method} /settings`,
      summary: 'Set the key that webhooks are signed with',
      scope: 'settings:write',
      body: SETTINGS_BODY,
      async work({ store, user, json }) {
        const key = readSigningKey(json)
        if (key !== undefined) await setSigningKey(store.db, user, key)
        return PHONE_SETTINGS
      },
    }),
  ),
  {
    at: 'POST /auth/token',
    summary: 'Make a pair of tokens',
    scope: 'tokens:manage',
    body: TOKEN_BODY,
    answer: [201, 'The pair.'],
    work: async ({ c, store, user, apiKey, secret: by, scopes, json }) =>
      secret(c, await issueTokens(store, { user, apiKey, secret: by }, scopes, json)),
  },
  {
    at: 'POST /auth/token/refresh',
    summary: 'Trade a refresh token for another pair',
    scope: REFRESH_SCOPE,
    answer: [201, 'The pair.'],
    work: async ({ c, store, token }) => secret(c, await refreshTokens(store, token!)),
  },
  {
    at: 'DELETE /auth/token/{id}',
    summary: 'Revoke a pair of tokens',
    scope: 'tokens:manage',
    answer: [204, 'There is none with this id.'],
    work: ({ c, store, user }) => revokeTokens(store, user, idIn(c)),
  },
  {
    at: 'GET /logs',
    summary: 'Not kept',
    scope: 'logs:read',
    query: ['from', 'to'],
    answer: [501, 'Logs of devices are not kept.'],
    async work() {
      throw new GatewayError(501, { message: 'Logs of devices are not kept: see sms_events' })
    },
  },
]

/** SMSGate's API for programs. */
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

function clientRoutes(services: Services): Hono<Env> {
  const probes = [`${CLIENT_PATH}/health`, `${CLIENT_PATH}/health/:probe{live|ready|startup}`]
  const probe = readinessOf(services.store.forEverybody('metrics'), services.stopping)
  const app = new Hono<Env>().on('GET', probes, async (c) => {
    const health = await healthOf(probe)
    return sendRaw(c, JSON.stringify(health), health.status === 'pass' ? 200 : 503)
  })
  addRoutes<Call, Route>(app, CLIENT_PATH, ROUTES, (c, { scope, startsCached = false, body }, work) => {
    // read once, also if the work is repeated
    let json: Promise<unknown> | undefined
    return retry(
      services.store,
      (isCached) => requireClient(c, services, scope, isCached),
      async (caller, attempt) => {
        json ??= body && readJson(c, MAX_BODY_BYTES, JSON.parse)
        return work({ ...caller, c, services, user: caller.auth.id, json: await json, attempt })
      },
      { startsCached },
    )
  })
  return app.route('/', signingKeyRoutes(services))
}

const queryIn = <T extends z.ZodType>(c: Ctx, schema: T) => checkShape(schema, givenIn(queryOf(c)))

const idIn = (c: Ctx) => c.req.param('id')!

/** Sets the header with the total, readable for other origins. Returns the items. */
function paged(c: Ctx, { items, total }: Page<unknown>): readonly unknown[] {
  c.header('X-Total-Count', String(total))
  c.header('Access-Control-Expose-Headers', 'X-Total-Count')
  return items
}

function secret<T>(c: Ctx, pair: T): T {
  c.header('cache-control', 'no-store')
  return pair
}
