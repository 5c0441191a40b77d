import { Hono } from 'hono'
import { REFRESH_SCOPE, type Scope } from '../../auth/tokens/scopes.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { GatewayError } from '../../errors.ts'
import { readJson } from '../../http/body/json-body.ts'
import { type Ctx, type Env, type Protocol, queryOf, type Services } from '../../http/context.ts'
import { withFreshSender } from '../../http/middleware/sender.ts'
import { buildRequest } from '../../http/request-info.ts'
import { retry } from '../../http/retry.ts'
import { sendRaw } from '../../http/send-json.ts'
import { storeOf } from '../../http/server/store-of.ts'
import { SENDS } from '../../metrics/groups.ts'
import { readinessOf } from '../../metrics/readiness.ts'
import { deleteRecord } from '../../records/write/delete.ts'
import { fingerprintOf, readIdempotencyKey } from '../../sms/send/idempotency.ts'
import { checkDevice } from '../../sms/send/offer.ts'
import { messageForm } from '../smsgate/error-form.ts'
import { settingsOf } from '../smsgate/setup.ts'
import { wireDevice } from '../smsgate/wire.ts'
import { cancelSend } from './cancel-send.ts'
import { keyIn, requireClient } from './credentials.ts'
import { SMSGATE_CLIENT_TAGS, smsgateClientPaths } from './description.ts'
import { listDevices } from './devices.ts'
import { findSend } from './find-send.ts'
import { type Health, healthFrom } from './health.ts'
import { listInbox, readInboxQuery } from './inbox/inbox.ts'
import { exportInbox, refreshInbox } from './inbox/refresh-inbox.ts'
import { listMessages, readListQuery } from './list-messages.ts'
import { readStates } from './message-state.ts'
import { CLIENT_PATH, canonicalPath, prefixOf } from './path.ts'
import { readSendBody } from './send-body.ts'
import { readSendQuery, repeatedSend, sendMessage } from './send-message.ts'
import { readSigningKey } from './settings.ts'
import { issueTokens, refreshTokens, revokeTokens, type TokenPair } from './tokens.ts'
import { deleteWebhook, saveWebhook } from './webhooks/save-webhook.ts'
import { setSigningKey } from './webhooks/signing-key.ts'
import { signingKeyPaths, signingKeyRoutes } from './webhooks/signing-key-routes.ts'
import { listWebhooks } from './webhooks/webhooks.ts'

/** A send to 100 numbers with a long text has a tenth of that. */
const MAX_BODY_BYTES = 1 << 20

/** SMSGate's API for programs. */
export const SMSGATE_CLIENT: Protocol = {
  group: 'smsgate_clients',
  groups: { [`POST ${CLIENT_PATH}/messages`]: SENDS },
  roots: [CLIENT_PATH],
  errorForm: messageForm,
  routes: (services) =>
    new Hono<Env>().route(CLIENT_PATH, clientRoutes(services)).route('/', signingKeyRoutes(services)),
  tags: SMSGATE_CLIENT_TAGS,
  paths: () => ({ ...smsgateClientPaths(), ...signingKeyPaths() }),
  canonicalPath,
  keyIn,
}

function clientRoutes(services: Services): Hono<Env> {
  const callerOf = async (c: Ctx, scope: Scope) => {
    const { auth, store } = await requireClient(c, services, scope)
    return { user: auth.id, store }
  }
  return new Hono<Env>()
    .on('GET', ['/health', '/health/:probe{live|ready|startup}'], async (c) => {
      const health = await healthOf(services)
      return sendRaw(c, JSON.stringify(health), health.status === 'pass' ? 200 : 503)
    })
    .post('/messages', (c) => sendFrom(c, services))
    .get('/messages', async (c) => {
      const { user, store } = await callerOf(c, 'messages:list')
      const { total, items } = await listMessages(store, user, readListQuery(queryOf(c)))
      return sendList(c, items, total)
    })
    .get('/messages/:id', async (c) => {
      const { user, store } = await callerOf(c, 'messages:read')
      return sendState(c, store, user)
    })
    .delete('/messages/:id', async (c) => {
      const { user, store } = await callerOf(c, 'messages:cancel')
      await cancelSend(store, user, await findSend(store, user, c.req.param('id')))
      return sendState(c, store, user)
    })
    .get('/devices', async (c) => {
      const { user, store } = await callerOf(c, 'devices:list')
      return sendRaw(c, JSON.stringify((await listDevices(store, user)).map(wireDevice)))
    })
    .delete('/devices/:id', async (c) => {
      await deleteDevice(c, services, c.req.param('id'))
      return c.body(null, 204)
    })
    .get('/inbox', async (c) => {
      const { user, store } = await callerOf(c, 'inbox:list')
      const { total, items } = await listInbox(store, user, readInboxQuery(queryOf(c)))
      return sendList(c, items, total)
    })
    .post('/inbox/refresh', (c) => refreshInbox(c, services))
    .post('/messages/inbox/export', (c) => exportInbox(c, services))
    .get('/inbox/:id/attachments/:part', async (c) => {
      await callerOf(c, 'inbox:list')
      throw notImplemented('Attachments are not kept: their names stand in the text')
    })
    .get('/webhooks', async (c) => {
      const { user, store } = await callerOf(c, 'webhooks:list')
      return sendRaw(c, JSON.stringify(await listWebhooks(store, user)))
    })
    .post('/webhooks', async (c) => sendRaw(c, JSON.stringify(await saveWebhook(c, services)), 201))
    .delete('/webhooks/:id', async (c) => {
      await deleteWebhook(c, services, c.req.param('id'))
      return c.body(null, 204)
    })
    .post('/auth/token', async (c) => {
      const { auth, store, apiKey, scopes } = await requireClient(c, services, 'tokens:manage')
      const body = await readJson(c, MAX_BODY_BYTES)
      return sendTokens(c, await issueTokens(store, { user: auth.id, apiKey }, scopes, body))
    })
    .post('/auth/token/refresh', async (c) => {
      const { token, store } = await requireClient(c, services, REFRESH_SCOPE)
      return sendTokens(c, await refreshTokens(store, token!))
    })
    .delete('/auth/token/:jti', async (c) => {
      const { user, store } = await callerOf(c, 'tokens:manage')
      await revokeTokens(store, user, c.req.param('jti'))
      return c.body(null, 204)
    })
    .get('/settings', async (c) => {
      await callerOf(c, 'settings:read')
      return sendRaw(c, PHONE_SETTINGS)
    })
    .on(['PATCH', 'PUT'], '/settings', async (c) => {
      const { user, store } = await callerOf(c, 'settings:write')
      const key = readSigningKey(await readJson(c, MAX_BODY_BYTES))
      if (key !== undefined) await setSigningKey(store.db, user, key)
      return sendRaw(c, PHONE_SETTINGS)
    })
    .get('/logs', async (c) => {
      await callerOf(c, 'logs:read')
      throw notImplemented('Logs of devices are not kept: see sms_events')
    })
}

/** What this server gives its phones, without the key that each has. */
const PHONE_SETTINGS = (() => {
  const { webhooks, ...others } = settingsOf({ signingKey: '' })
  const { signing_key: _, ...shown } = webhooks
  return JSON.stringify({ ...others, webhooks: shown })
})()

/** Accepts a send: credentials, then the body, then the work. */
function sendFrom(c: Ctx, services: Services): Promise<Response> {
  // read once, whether or not the credentials turn out stale
  let raw: Promise<unknown> | undefined
  const identify = async (cached: boolean) => {
    const { sender, store } = await requireClient(c, services, 'messages:send', cached)
    return { ...sender, store }
  }
  return withFreshSender(services, identify, async (sender) => {
    raw ??= readJson(c, MAX_BODY_BYTES)
    const json = await raw
    const query = readSendQuery(queryOf(c))
    const key = readIdempotencyKey(c.req.header('idempotency-key'))
    const idempotency = key === null ? null : { key, fingerprint: fingerprintOf(c.req.path, json) }
    // first: whether a date is past or a device was active changes with time, what was sent does not
    const first = idempotency && (await repeatedSend(sender.store, sender.user, idempotency))
    const sending = { ...services.sending, store: sender.store }
    const body = () => readSendBody(json, new Date())
    const { state, replayed } = first || (await sendMessage(sending, sender, body(), query, idempotency))
    c.header('Location', `${prefixOf(c.env.incoming.url ?? '')}/messages/${encodeURIComponent(state.id)}`)
    if (replayed) c.header('Idempotent-Replayed', 'true')
    expose(c, replayed ? 'Location, Idempotent-Replayed' : 'Location')
    return sendRaw(c, JSON.stringify(state), 202)
  })
}

function sendTokens(c: Ctx, pair: TokenPair): Response {
  c.header('cache-control', 'no-store')
  return sendRaw(c, JSON.stringify(pair), 201)
}

/** Or a page of another origin never sees them. */
const expose = (c: Ctx, names: string) => c.header('Access-Control-Expose-Headers', names)

function sendList(c: Ctx, items: readonly unknown[], total: number): Response {
  c.header('X-Total-Count', String(total))
  expose(c, 'X-Total-Count')
  return sendRaw(c, JSON.stringify(items))
}

/** The send that the path names, as it is now. Throws 404. */
async function sendState(c: Ctx, store: Store, user: string): Promise<Response> {
  const found = await findSend(store, user, c.req.param('id') ?? '')
  const [state] = await readStates(store, user, [found], true)
  return sendRaw(c, JSON.stringify(state))
}

/** 501 for a route that has no counterpart here. `message` says what to do instead. */
const notImplemented = (message: string) => new GatewayError(501, { message })

const probes = new WeakMap<Services, ReturnType<typeof readinessOf>>()

/** Whether the server works, as SMSGate's clients read it. Needs no credentials, and tells nothing else. */
async function healthOf(services: Services): Promise<Health> {
  const probe = probes.get(services) ?? readinessOf(services.store.forEverybody('metrics'), services.stopping)
  probes.set(services, probe)
  const begun = performance.now()
  const { ready } = await probe()
  return healthFrom(ready, Math.round(performance.now() - begun))
}

/** Deletes a device of the caller; its queue goes to other devices. Throws 404. */
async function deleteDevice(c: Ctx, services: Services, id: string): Promise<void> {
  const { extensions } = services
  const identify = async () => (await requireClient(c, services, 'devices:delete')).auth
  await retry(services.store, identify, async (auth, attempt) => {
    const store = storeOf(c, services, auth)
    await checkDevice(store, auth.id, id)
    const devices = store.catalog.find('devices') as Collection
    await deleteRecord(store, extensions, devices, id, buildRequest(c, auth, {}), attempt)
  })
}
