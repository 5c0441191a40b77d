import { stream as openStream } from 'hono/streaming'
import type { StreamingApi } from 'hono/utils/stream'
import { requireAllowedAddress, splitAddresses } from '../../engine/auth/allowed-addresses.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { allowEverybody, type HasServices, type Permission } from '../../http/allow-callers.ts'
import { asCaller, retryRequest } from '../../http/attempt.ts'
import { readJsonBody, readRawBody } from '../../http/body/raw-body.ts'
import { makeRoutes, makeUndescribedRow } from '../../http/make-routes.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { limitOpenStreams } from '../../http/server/limit-streams.ts'
import { checkShape } from '../base/body-schemas.ts'
import { type Device, saveSims, touchDevice } from '../base/device-record.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { startPairing } from '../lines/pair-device.ts'
import {
  type DeviceCaller,
  refuseSuspended,
  requireDeviceCaller,
} from '../lines/require-device-caller.ts'
import { listPhoneWebhooks, makePhoneSettings, renderDate, renderDevice } from './app-json.ts'
import { readAppRules } from './app-versions.ts'
import { phoneEvents } from './event-stream.ts'
import { findOrMakePhone, findPoster, recordAbsence } from './phone-record.ts'
import { pullMessages } from './pull-messages.ts'
import { register, signInBasic } from './registration.ts'
import { UPDATE_BODY } from './sim-cards.ts'
import { STATES_BODY } from './state-report-body.ts'
import { isSigned, storeEvent } from './store-event.ts'
import { storeStates } from './store-states.ts'

/** Enough for reports on 500 messages. */
const MAX_BODY_BYTES = 1 << 20
/** Enough for an MMS with 12 MB of files in base64, which is more than networks carry. */
const MAX_EVENT_BYTES = 16 << 20

const readPhoneJson = (c: Ctx) => readJsonBody(c, JSON.parse)

const byPhone: Permission<DeviceCaller & HasServices> = {
  security: 'device',
  withCaller: async (c, services, work) =>
    work({ ...(await identifyPhone(c, services)), services }),
}

const pull = makeUndescribedRow(
  byPhone,
  { cost: 'the queue of the device', by: '20 messages (`MAX_CAPACITY`), by an index' },
  async ({ device, store, services }, c) =>
    // without a limit of memory: its messages are claimed, and must reach the phone
    c.json(
      await pullMessages(
        store,
        device,
        services.config,
        readAppRules(c.env.incoming.headers['user-agent']),
      ),
    ),
)
const report = makeUndescribedRow(
  byPhone,
  { cost: 'items', by: '500 items' },
  async ({ device, store, services }, c) =>
    storeStates(store, device, checkShape(STATES_BODY, await readPhoneJson(c)), services.config),
)

export const SMSGATE_APP_ROUTES = makeRoutes('', {
  'GET /api/mobile/v1/message': pull,
  'GET /api/mobile/v1/messages': pull,
  'PATCH /api/mobile/v1/message': { maxBytes: MAX_BODY_BYTES, ...report },
  'PATCH /api/mobile/v1/messages': { maxBytes: MAX_BODY_BYTES, ...report },
  'GET /api/mobile/v1/device': makeUndescribedRow(allowEverybody(), 'keys', ({ services }, c) =>
    asCaller(c, services, 'checkedRead', async ({ caller }) => {
      if (!caller) await refuseSuspended(c, services)
      const isPhone = caller?.collection.name === 'devices'
      return {
        externalIp: c.env.incoming.ip,
        ...(isPhone && { device: renderDevice(caller.values) }),
      }
    }),
  ),
  'POST /api/mobile/v1/device': {
    maxBytes: GUEST_BODY_BYTES,
    ...makeUndescribedRow(
      allowEverybody(),
      { cost: 'devices of the user', by: 'keys; 100 devices of a user; limits of sign-ins' },
      async ({ services }, c) =>
        c.json(await register(c, services, await readJsonBody(c, JSON.parse)), 201),
    ),
  },
  'PATCH /api/mobile/v1/device': {
    maxBytes: MAX_BODY_BYTES,
    ...makeUndescribedRow(
      byPhone,
      { cost: 'lines of the device', by: 'keys' },
      async ({ device, store }, c) => {
        const { id, simCards } = checkShape(UPDATE_BODY, await readPhoneJson(c))
        if (id !== device.id) throw gatewayRefusal('forbidden', 'This is another device')
        if (simCards) await saveSims(store, device, simCards)
      },
    ),
  },
  'GET /api/mobile/v1/user/code': makeUndescribedRow(
    allowEverybody(),
    { cost: 'codes of the user', by: 'keys; limits of sign-ins' },
    async ({ services }, c) => {
      const { code, expires_at } = await retryRequest(
        services.store,
        { identify: () => signInBasic(c, services) },
        (user) => startPairing(c.env.incoming.openStore(user), user, '', services.config.publicUrl),
      )
      return { code, validUntil: renderDate(expires_at) }
    },
  ),
  'GET /api/mobile/v1/webhooks': makeUndescribedRow(
    byPhone,
    'keys',
    async ({ device, store, services }) =>
      listPhoneWebhooks(await findOrMakePhone(store, device), services.config.publicUrl),
  ),
  'GET /api/mobile/v1/settings': makeUndescribedRow(byPhone, 'keys', async ({ device, store }) =>
    makePhoneSettings(await findOrMakePhone(store, device)),
  ),
  'GET /api/mobile/v1/events': makeUndescribedRow(
    byPhone,
    'keys',
    ({ device, store, services }, c) => sendEvents(c, services, device, store),
  ),
  'POST /api/mobile/v1/incoming/:path': {
    maxBytes: MAX_EVENT_BYTES,
    ...makeUndescribedRow(
      allowEverybody(),
      { cost: 'the files of one text', by: 'a wrong path costs one lookup' },
      ({ services }, c, path) => takePosted(c, services, path),
    ),
  },
})

/** Identifies a calling phone and stores that it was seen. Throws 401 for a guest, 403 for other callers. */
async function identifyPhone(c: Ctx, services: Services): Promise<DeviceCaller> {
  const { deviceOnlineSeconds } = services.config
  const { device, store } = await requireDeviceCaller(c, services)
  await recordAbsence(store, device, deviceOnlineSeconds)
  await touchDevice(store, device, deviceOnlineSeconds)
  return { device, store }
}

/** Takes a phone's event. Throws 404 (unknown path), 401 (wrong signature), 403 (account, address). */
async function takePosted(c: Ctx, services: Services, path: string): Promise<void> {
  const { config, log } = services
  const poster = await findPoster(services.store.signIn, path)
  if (!poster) throw gatewayRefusal('device_not_found')
  if (poster.isSuspended) throw gatewayRefusal('account_disabled')
  const { 'x-timestamp': timestamp, 'x-signature': signature } = c.env.incoming.headers
  const body = await readRawBody(c)
  const posted = { body, timestamp: String(timestamp ?? ''), signature: String(signature ?? '') }
  if (!isSigned(poster.signingKey, posted)) {
    log.warn({ device: poster.device.id }, 'a phone signed with a wrong key')
    throw gatewayRefusal('unauthorized', 'The signature is wrong')
  }
  const { id: record, user } = poster.device
  requireAllowedAddress(
    services.store.signIn,
    splitAddresses(poster.addresses),
    c.env.incoming.ip,
    {
      user,
      collection: 'devices',
      record,
      name: poster.name,
    },
  )
  const store = services.store.forUser(poster.device.user)
  await storeEvent(store, poster.device, posted, config, log)
  await touchDevice(store, poster.device, config.deviceOnlineSeconds)
}

async function sendEvents(
  c: Ctx,
  services: Services,
  device: Device,
  store: Store,
): Promise<Response> {
  const { config, streams, log } = services
  c.header('content-type', 'text/event-stream')
  c.header('cache-control', 'no-cache')
  // without this header nginx would buffer events
  c.header('x-accel-buffering', 'no')
  limitOpenStreams(c, services, device.user)
  const send = async (stream: StreamingApi) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    streams.add(c.env.outgoing, () => gone.abort())
    // null after the phone was signed out or deleted
    const again = async () => (await identifyPhone(c, services).catch(() => null))?.device ?? null
    for await (const frame of phoneEvents(store, device, config, again, gone.signal))
      await stream.write(frame)
  }
  // an error ends the stream, and the phone reconnects
  return openStream(c, send, async (error) =>
    log.warn({ device: device.id, err: error }, 'the stream of a phone failed'),
  )
}
