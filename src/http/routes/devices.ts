import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { chapter, DEVICE, textAnswer } from '../../openapi/operations.ts'
import { receiveTexts } from '../../sms/conversations/receive.ts'
import { countPending, saveHealth, saveSims, touchDevice } from '../../sms/devices/device.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../../sms/devices/device-body.ts'
import { deviceEvents } from '../../sms/devices/streams.ts'
import { saveSubscription, vapidKeys } from '../../sms/devices/web-push.ts'
import { CLAIMED_MESSAGE, claimMessages } from '../../sms/queue/claim.ts'
import { applyReports, REPORT_RESULT } from '../../sms/queue/report.ts'
import { checkShape, type RefusalCode } from '../../sms/send/shape.ts'
import { waitForAny } from '../../sms/wake/wake.ts'
import { readJson } from '../body/raw-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { type DeviceCaller, requireDeviceOf } from '../middleware/audit.ts'
import { limitOpenStreams } from '../server/connections.ts'

const MAX_BODY_BYTES = 1 << 20
const DEFAULT_LIMIT = 10

/** `/api/devices`: claims, reports, received texts, wake-ups. Errors: `{"error","message"}`. */
export function deviceRoutes(services: Services): Hono<Env> {
  const { config, closing } = services
  const deviceOf = (c: Ctx) => identifyDevice(c, services)
  const bodyOf = (c: Ctx) => readJson(c, MAX_BODY_BYTES)

  return new Hono<Env>()
    .post('/heartbeat', async (c) => {
      const { device, store } = await deviceOf(c)
      const { sims, ...health } = checkShape(HEARTBEAT_BODY, await bodyOf(c))
      if (sims) await saveSims(store, device, sims)
      await saveHealth(store, device, health)
      return c.json({ pending: await countPending(store, device) })
    })
    .get('/push-key', async (c) => {
      const { store } = await deviceOf(c)
      return c.json({ key: (await vapidKeys(store)).publicKey })
    })
    .put('/push', async (c) => {
      const { device, store } = await deviceOf(c)
      await saveSubscription(store, device, checkShape(PUSH_BODY, await bodyOf(c)), config)
      return c.body(null, 204)
    })
    .post('/claim', async (c) => {
      const { device, store } = await deviceOf(c)
      const { limit, wait } = checkShape(CLAIM_BODY, await bodyOf(c))
      if (wait) limitOpenStreams(c, services, device.user)
      const claim = () => claimMessages(store, device, limit ?? DEFAULT_LIMIT, config.leaseSeconds)
      const ended = AbortSignal.any([closing, c.req.raw.signal])
      return c.json({ items: await waitForAny(claim, device.id, (wait ?? 0) * 1000, ended) })
    })
    .post('/report', async (c) => {
      const { device, store } = await deviceOf(c)
      const { items } = checkShape(REPORT_BODY, await bodyOf(c))
      return c.json({ items: await applyReports(store, device, items, config.deviceOnlineSeconds) })
    })
    .post('/incoming', async (c) => {
      const { device, store } = await deviceOf(c)
      const { items } = checkShape(INCOMING_BODY, await bodyOf(c))
      return c.json({ ids: await receiveTexts(store, device, items, config.optWords) })
    })
    .get('/events', async (c) => sendEvents(c, services, await deviceOf(c)))
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
    // null: the device signed out or was deleted
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

export const DEVICES = 'for devices'

const DEVICE_REFUSALS: readonly RefusalCode[] = ['device_disabled', 'account_disabled']

const MESSAGE_ID = 'k3v9x0c2m5n8b1a'

export const devicePaths = () =>
  chapter(DEVICES, DEVICE, {
    'POST /api/devices/heartbeat': {
      id: 'heartbeat',
      summary: 'Say that the device is there',
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
      description: 'What the device is woken by when it has no stream open; `null` ends it.',
      body: [PUSH_BODY],
      answer: ['Kept.'],
      refuses: DEVICE_REFUSALS,
    },
    'POST /api/devices/claim': {
      id: 'claimMessages',
      summary: 'Take messages to send',
      description:
        'Gives the device messages, for as long as their lease says. What it holds already comes first, with the same attempt: an answer may have been lost.',
      body: [CLAIM_BODY, { limit: 10, wait: 30 }],
      answer: [
        'Messages, the most urgent first. Empty when there are none.',
        z.object({ items: z.array(CLAIMED_MESSAGE) }).meta({ id: 'Claimed' }),
      ],
      refuses: DEVICE_REFUSALS,
    },
    'POST /api/devices/report': {
      id: 'reportMessages',
      summary: 'Say what became of messages',
      description: 'May be repeated: a report of an old attempt, or one that is known, changes nothing.',
      body: [REPORT_BODY, { items: [{ id: MESSAGE_ID, attempt: 1, status: 'sent' }] }],
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
  })
