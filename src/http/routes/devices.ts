import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { findAuthRecord } from '../../auth/auth-rows.ts'
import { signToken } from '../../auth/tokens/tokens.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { toRow } from '../../records/columns.ts'
import { answerRecord } from '../../records/expand/answer.ts'
import { saveBattery } from '../../sms/devices/battery.ts'
import { type Device, requireUser } from '../../sms/devices/device.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PAIR_BODY,
  PAIRING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../../sms/devices/device-body.ts'
import { deviceStates } from '../../sms/devices/device-states.ts'
import { countPending, saveSims, touchDevice } from '../../sms/devices/heartbeat.ts'
import { pairDevice, startPairing } from '../../sms/devices/pair.ts'
import { saveSubscription } from '../../sms/devices/push.ts'
import { deviceEvents } from '../../sms/devices/streams.ts'
import { checkEndpoint, vapidKeys } from '../../sms/devices/web-push.ts'
import { receiveTexts } from '../../sms/inbound/receive.ts'
import { claimMessages } from '../../sms/queue/claim.ts'
import { applyReports } from '../../sms/queue/report.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { waitForAny } from '../../sms/wake/wait.ts'
import { readJson } from '../body/json-body.ts'
import { meterFor } from '../body/large-answer.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { requireDeviceOf } from '../middleware/guards.ts'
import { GUEST_BODY_BYTES } from '../middleware/guest-body.ts'
import { limitPairing } from '../middleware/pair-tries.ts'
import { authOf, buildRequest } from '../request-info.ts'
import { retry } from '../retry.ts'
import { sendRaw } from '../send-json.ts'
import { clientOfUser } from '../server/request-client.ts'
import { limitOpenStreams } from '../server/streams.ts'

/** Room for 100 long texts. */
const MAX_BODY_BYTES = 1 << 20
const TOKEN_SECONDS = 365 * 86_400
const DEFAULT_LIMIT = 10

const PAIR_HELP = `This address pairs a device with pocketsms.

A phone or modem joins with the six digits that stand behind the # of the address you opened. On any
computer with Node:

    npx -y <server>/agent.tgz start <server> <code>

A code is good for one device and for 5 minutes.
`

/** `/api/devices`: pairing, claims, reports, received texts, wake-ups. Errors: `{"error","message"}`. */
export function deviceRoutes(services: Services): Hono<Env> {
  const { store, config, closing } = services
  const deviceOf = (c: Ctx) => identifyDevice(c, services)
  const bodyOf = (c: Ctx) => readJson(c, MAX_BODY_BYTES)

  return new Hono<Env>()
    .post('/pairing', async (c) => {
      let body: Promise<unknown> | undefined
      const pairing = await retry(
        store,
        async () => requireUser(await authOf(c, services)),
        async (user) => {
          body ??= bodyOf(c)
          const { name } = checkShape(PAIRING_BODY, await body)
          return startPairing(store, user, name ?? '', config.publicUrl)
        },
      )
      c.header('cache-control', 'no-store')
      return c.json(pairing)
    })
    .get('/states', async (c) => {
      const auth = await authOf(c, services)
      const owner = auth?.isSuperuser ? null : requireUser(auth).id
      return c.json(await deviceStates(store, owner, config.deviceOnlineSeconds, clientOfUser(c, owner)))
    })
    .get('/pair', (c) => (isBrowser(c) ? c.redirect('../../_/', 303) : c.text(PAIR_HELP)))
    .post('/pair', async (c) => answerPaired(c, services, await pair(c, services)))
    .post('/heartbeat', async (c) => {
      const device = await deviceOf(c)
      const { sims, battery } = checkShape(HEARTBEAT_BODY, await bodyOf(c))
      if (sims) await saveSims(store, device, sims)
      if (typeof battery === 'number') await saveBattery(store, device, battery)
      return c.json({ pending: await countPending(store, device) })
    })
    .get('/push-key', async (c) => {
      await deviceOf(c)
      return c.json({ key: (await vapidKeys(store)).publicKey })
    })
    .put('/push', async (c) => {
      const device = await deviceOf(c)
      await saveSubscription(store, device, checkShape(PUSH_BODY, await bodyOf(c)), config)
      return c.body(null, 204)
    })
    .post('/claim', async (c) => {
      const device = await deviceOf(c)
      const { limit, wait } = checkShape(CLAIM_BODY, await bodyOf(c))
      if (wait) limitOpenStreams(c, services, device.user)
      const claim = () => claimMessages(store, device, limit ?? DEFAULT_LIMIT, config.leaseSeconds)
      const ended = AbortSignal.any([closing, c.req.raw.signal])
      return c.json({ items: await waitForAny(claim, device.id, (wait ?? 0) * 1000, ended) })
    })
    .post('/report', async (c) => {
      const device = await deviceOf(c)
      const { items } = checkShape(REPORT_BODY, await bodyOf(c))
      return c.json({ items: await applyReports(store, device, items, config.deviceOnlineSeconds) })
    })
    .post('/incoming', async (c) => {
      const device = await deviceOf(c)
      const { items } = checkShape(INCOMING_BODY, await bodyOf(c))
      return c.json({ ids: await receiveTexts(store, device, items, config.optWords) })
    })
    .get('/events', async (c) => sendEvents(c, services, await deviceOf(c)))
}

/** Browsers that open the address of a code go on to the console, with the `#` part. */
const isBrowser = (c: Ctx) => c.req.header('accept')?.includes('text/html') === true

/** The device that asks, noted as seen. Throws 401 and 403. */
async function identifyDevice(c: Ctx, services: Services): Promise<Device> {
  const device = await requireDeviceOf(c, services)
  await touchDevice(services.store, device, services.config.deviceOnlineSeconds)
  return device
}

/** The id of the new device. A code that was right does not count as a try. */
async function pair(c: Ctx, services: Services): Promise<string> {
  const { store, extensions } = services
  const body = checkShape(PAIR_BODY, await readJson(c, GUEST_BODY_BYTES))
  const { code, name, platform, phone, sims, push } = body
  if (push) checkEndpoint(push, services.config)
  const device = {
    code,
    name: name ?? '',
    platform,
    phone: phone ?? '',
    sims: sims ?? [],
    push: push ?? null,
  }
  return limitPairing(c, services, () => pairDevice(store, extensions, device))
}

/** `{"token","record"}`: the record as the device itself sees it. */
async function answerPaired(c: Ctx, services: Services, id: string): Promise<Response> {
  const { store } = services
  const auth = await findAuthRecord(store, store.catalog.find('devices') as AuthCollection, id)
  if (!auth) throw gatewayRefusal('wrong_code')
  const token = await signToken(auth, 'auth', { duration: TOKEN_SECONDS })
  const row = toRow(auth.collection, auth.values)
  const request = buildRequest(c, auth, {}, 'default', { meter: meterFor(c, services, auth) })
  const record = await answerRecord(store, auth.collection, row, request)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"token":${JSON.stringify(token)},"record":${record}}`)
}

/** The stream of a device: events as they come, a comment as a sign of life. */
function sendEvents(c: Ctx, services: Services, device: Device): Response {
  const { store, config, ending } = services
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
  limitOpenStreams(c, services, device.user)
  return streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    const again = () => identifyDevice(c, services).catch(() => null) // signed out, deleted
    const ended = AbortSignal.any([ending, gone.signal])
    for await (const item of deviceEvents(store, device, config.deviceOnlineSeconds, again, ended)) {
      if (item.name === 'alive') await stream.write(': alive\n\n')
      else await stream.writeSSE({ event: item.name, data: dataOf(item) })
    }
  })
}

const dataOf = (event: { name: string; message?: string }) =>
  JSON.stringify(event.message ? { id: event.message } : {})
