import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { findAuthRecord } from '../../auth/auth-rows.ts'
import { signToken } from '../../auth/tokens.ts'
import type { AuthCollection } from '../../collections/catalog.ts'
import { textAnswer } from '../../openapi/content.ts'
import { chapter } from '../../openapi/operations.ts'
import { DEVICE, NOBODY, SIGNED_IN } from '../../openapi/security.ts'
import { receiveTexts } from '../../sms/conversations/receive.ts'
import { countPending, requireUser, saveSims, touchDevice } from '../../sms/devices/device.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PAIR_BODY,
  PAIRING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../../sms/devices/device-body.ts'
import { DEVICE_STATES, deviceStates } from '../../sms/devices/device-states.ts'
import { deviceEvents } from '../../sms/devices/event-stream.ts'
import { saveHealth } from '../../sms/devices/health.ts'
import { PAIRING, pairDevice, startPairing } from '../../sms/devices/pair.ts'
import { saveSubscription } from '../../sms/devices/push-wake.ts'
import { checkEndpoint, vapidKeys } from '../../sms/devices/web-push.ts'
import { CLAIMED_MESSAGE, claimMessages } from '../../sms/queue/claim.ts'
import { applyReports, REPORT_RESULT } from '../../sms/queue/report.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { gatewayRefusal, type RefusalCode } from '../../sms/send/refusals.ts'
import { waitForAny } from '../../sms/wake.ts'
import { readJson } from '../body/raw-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditRequest, type DeviceCaller, requireDeviceOf } from '../middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../middleware/gate.ts'
import { limitPairing } from '../middleware/passwords.ts'
import { authOf, ownRecord, routesFor, sendRaw } from '../request-info.ts'
import { retry } from '../retry.ts'
import { limitOpenStreams } from '../server/connections.ts'
import { storeOf } from '../server/store-of.ts'

const MAX_BODY_BYTES = 1 << 20
const DEFAULT_LIMIT = 10

/** `/api/devices`: pairing, texts to send, reports, received texts. Errors are `{"error","message"}`. */
export function deviceRoutes(services: Services): Hono<Env> {
  const { config, closing } = services
  const read = (c: Ctx) => readJson(c, MAX_BODY_BYTES)
  return routesFor((c) => identifyDevice(c, services), {
    'POST /heartbeat': async ({ device, store }, c) => {
      const { sims, ...health } = checkShape(HEARTBEAT_BODY, await read(c))
      if (sims) await saveSims(store, device, sims)
      await saveHealth(store, device, health)
      return { pending: await countPending(store, device) }
    },
    'GET /push-key': async ({ store }) => ({ key: (await vapidKeys(store)).publicKey }),
    'PUT /push': async ({ device, store }, c) => {
      await saveSubscription(store, device, checkShape(PUSH_BODY, await read(c)), config)
    },
    'POST /claim': async ({ device, store }, c) => {
      const { limit, wait } = checkShape(CLAIM_BODY, await read(c))
      if (wait) limitOpenStreams(c, services, device.user)
      const claim = () => claimMessages(store, device, limit ?? DEFAULT_LIMIT, config.leaseSeconds)
      const ended = AbortSignal.any([closing, c.req.raw.signal])
      return { items: await waitForAny(claim, device.id, (wait ?? 0) * 1000, ended) }
    },
    'POST /report': async ({ device, store }, c) => {
      const { items } = checkShape(REPORT_BODY, await read(c))
      return { items: await applyReports(store, device, items, config.deviceOnlineSeconds) }
    },
    'POST /incoming': async ({ device, store }, c) => {
      const { items } = checkShape(INCOMING_BODY, await read(c))
      return { ids: await receiveTexts(store, device, items, config.optWords) }
    },
    'GET /events': (caller, c) => sendEvents(c, services, caller),
  })
    .post('/pairing', async (c) => {
      const identify = async () => requireUser(await authOf(c, services))
      const pairing = await retry(services.store, identify, async (user) => {
        const { name } = checkShape(PAIRING_BODY, await readJson(c, GUEST_BODY_BYTES))
        const made = await startPairing(storeOf(c, services, user), user, name ?? '', config.publicUrl)
        if (user.actor)
          await auditRequest(c, services, user, { action: 'make pairing code', collection: 'devices' })
        return made
      })
      c.header('cache-control', 'no-store')
      return c.json(pairing)
    })
    .get('/states', async (c) => {
      const auth = await authOf(c, services)
      const owner = auth?.isSuperuser ? null : requireUser(auth).id
      return c.json(await deviceStates(storeOf(c, services, auth), owner, config.deviceOnlineSeconds))
    })
    .get('/pair', (c) =>
      c.req.header('accept')?.includes('text/html') ? c.redirect('../../_/', 303) : c.text(PAIR_HELP),
    )
    .post('/pair', async (c) => answerPaired(c, services, await pair(c, services)))
}

async function identifyDevice(c: Ctx, services: Services): Promise<DeviceCaller> {
  const caller = await requireDeviceOf(c, services)
  await touchDevice(caller.store, caller.device, services.config.deviceOnlineSeconds)
  return caller
}

function sendEvents(c: Ctx, services: Services, { device, store }: DeviceCaller): Response {
  const { config, ending } = services
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
  limitOpenStreams(c, services, device.user)
  return streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    // null ends the stream, for example if the device was deleted
    const again = async () => (await identifyDevice(c, services).catch(() => null))?.device ?? null
    const ended = AbortSignal.any([ending, gone.signal])
    for await (const item of deviceEvents(store, device, config.deviceOnlineSeconds, again, ended)) {
      if (item.name === 'alive') await stream.write(': alive\n\n')
      else
        await stream.writeSSE({
          event: item.name,
          data: JSON.stringify('message' in item ? { id: item.message } : {}),
        })
    }
  })
}

const TOKEN_SECONDS = 365 * 86_400

const PAIR_HELP = `This address pairs a device with pocketsms.

A phone or modem joins with the six digits that stand behind the # of the address you opened. On any
computer with Node:

    npx -y <server>/agent.tgz start <server> <code>

A code is good for one device and for 5 minutes.
`

async function pair(c: Ctx, services: Services): Promise<string> {
  const store = storeOf(c, services, null)
  const { push, ...body } = checkShape(PAIR_BODY, await readJson(c, GUEST_BODY_BYTES))
  if (push) checkEndpoint(push, services.config)
  const { name, phone, sims } = body
  const device = { ...body, name: name ?? '', phone: phone ?? '', sims: sims ?? [], push: push ?? null }
  return limitPairing(c, services, () => pairDevice(store, services.extensions, device))
}

async function answerPaired(c: Ctx, services: Services, id: string): Promise<Response> {
  const store = storeOf(c, services, null)
  const auth = await findAuthRecord(store, store.catalog.find('devices') as AuthCollection, id)
  if (!auth) throw gatewayRefusal('wrong_code')
  const token = await signToken(auth, 'auth', { duration: TOKEN_SECONDS })
  const record = await ownRecord(c, store, auth)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"token":${JSON.stringify(token)},"record":${record}}`)
}

const TOKEN = z.string().describe('Send it in the header `Authorization`.')

export const DEVICES = 'for devices'

const DEVICE_REFUSALS: readonly RefusalCode[] = ['device_disabled', 'account_disabled']

export const devicePaths = (device: z.ZodObject) =>
  chapter(DEVICES, DEVICE, {
    'POST /api/devices/heartbeat': {
      id: 'heartbeat',
      summary: 'Report that the device is online',
      body: [HEARTBEAT_BODY, { battery: 80, charging: false, connection: 'wifi' }],
      answer: [
        'How many messages wait for the device.',
        z.object({ pending: z.int().min(0) }).meta({ id: 'Pending' }),
      ],
      refuses: DEVICE_REFUSALS,
    },
    'GET /api/devices/push-key': {
      id: 'readPushKey',
      summary: "Read the server's VAPID key",
      description: 'For a Web Push subscription. RFC 8292',
      answer: ['The public key, in base64url.', z.object({ key: z.string() }).meta({ id: 'PushKey' })],
      refuses: DEVICE_REFUSALS,
    },
    'PUT /api/devices/push': {
      id: 'savePush',
      summary: 'Keep a push subscription',
      description:
        'The push subscription that wakes the device while it has no open stream; `null` removes it.',
      body: [PUSH_BODY],
      answer: ['Kept.'],
      refuses: DEVICE_REFUSALS,
    },
    'POST /api/devices/claim': {
      id: 'claimMessages',
      summary: 'Claim messages to send',
      description:
        'Hands messages to the device until their lease expires. Messages that the device holds already come first, with the same attempt, because an answer may have been lost.',
      body: [CLAIM_BODY, { limit: 10, wait: 30 }],
      answer: [
        'Messages, the most urgent first. Empty when there are none.',
        z.object({ items: z.array(CLAIMED_MESSAGE) }).meta({ id: 'Claimed' }),
      ],
      refuses: DEVICE_REFUSALS,
    },
    'POST /api/devices/report': {
      id: 'reportMessages',
      summary: 'Report the outcome of messages',
      description: 'May be repeated: a report of an old attempt, or one that is known, changes nothing.',
      body: [REPORT_BODY, { items: [{ id: 'k3v9x0c2m5n8b1a', attempt: 1, status: 'sent' }] }],
      answer: [
        'A result for each item, in their order.',
        z.object({ items: z.array(REPORT_RESULT) }).meta({ id: 'ReportResults' }),
      ],
      refuses: DEVICE_REFUSALS,
    },
    'POST /api/devices/incoming': {
      id: 'handInTexts',
      summary: 'Hand in texts that the device received',
      body: [
        INCOMING_BODY,
        { items: [{ from: '+4915112345678', body: 'Thank you', received_at: '2026-11-20T07:00:00.000Z' }] },
      ],
      answer: [
        'Records of `sms_messages`, in the order of the items.',
        z.object({ ids: z.array(z.string()) }).meta({ id: 'HandedIn' }),
      ],
      refuses: DEVICE_REFUSALS,
    },
    'GET /api/devices/events': {
      id: 'deviceEvents',
      summary: 'Listen for wake-ups',
      description:
        'An event stream. `wake`: come and claim. `canceled`: `{"id"}` is not to be sent any more. A comment every 15 seconds is a sign of life.',
      refuses: DEVICE_REFUSALS,
      responses: textAnswer('text/event-stream', 'The stream.'),
    },
    'POST /api/devices/pairing': {
      id: 'startPairing',
      summary: 'Get a code for a new device',
      description: 'Asked by a user. The code lets one device join, once, within 5 minutes.',
      security: SIGNED_IN,
      body: [PAIRING_BODY, { name: 'desk phone' }],
      answer: ['The code, also as a link and as a picture to scan.', PAIRING],
      refuses: ['too_many_codes'],
    },
    'GET /api/devices/states': {
      id: 'readDeviceStates',
      summary: 'Read the states of devices',
      description:
        'The state that device records do not contain. A user gets it for their own devices, a superuser for all.',
      security: SIGNED_IN,
      answer: ['Each device.', DEVICE_STATES],
      refuses: [],
    },
    'GET /api/devices/pair': {
      id: 'explainPairing',
      summary: 'Look up a pairing code',
      security: NOBODY,
      refuses: [],
      responses: {
        ...textAnswer('text/plain', 'A text for people.'),
        303: { description: 'For browsers: the console shows it.' },
      },
    },
    'POST /api/devices/pair': {
      id: 'pairDevice',
      summary: 'Join with a code',
      description:
        'Asked by a device that has a code. The token is good for a year; `auth-refresh` renews it.',
      security: NOBODY,
      body: [PAIR_BODY, { code: '482915', platform: 'android', name: 'desk phone' }],
      answer: [
        'The new device, and its token.',
        z.object({ token: TOKEN, record: device }).meta({ id: 'Paired' }),
      ],
      refuses: ['wrong_code', 'too_many_tries'],
    },
  })
