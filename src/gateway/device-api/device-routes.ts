import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import type { HasServices, Permission } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { describeTextAnswer } from '../../http/openapi/success-answers.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { limitOpenStreams } from '../../http/server/limit-streams.ts'
import { checkShape } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import { countPending, saveMms, saveSims, touchDevice } from '../base/device-record.ts'
import { receiveTexts } from '../conversations/store-received-texts.ts'
import { storeTypedTexts } from '../conversations/store-typed-texts.ts'
import { streamDeviceEvents } from '../lines/device-event-stream.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PUSH,
  PUSH_BODY,
  REPORT_BODY,
  TYPED_BODY,
} from '../lines/device-schemas.ts'
import { saveHealth } from '../lines/phone-health.ts'
import { type DeviceCaller, requireDeviceCaller } from '../lines/require-device-caller.ts'
import { saveSubscription } from '../lines/wake-by-push.ts'
import { claimOrWait, writeDeviceEvent } from '../lines/wake-devices.ts'
import { loadVapidKeys } from '../lines/web-push.ts'
import { REPORT_RESULT } from '../messages/queue/apply-report-groups.ts'
import { applyReports } from '../messages/queue/apply-reports.ts'
import {
  claimMessages,
  LINKED_MESSAGE,
  linkClaimedFiles,
} from '../messages/queue/claim-messages.ts'
import { giveBackMms } from '../messages/queue/give-back-mms.ts'

const MAX_BODY_BYTES = 1 << 20

const DEFAULT_LIMIT = 10

export const DEVICE_TAG = 'for devices'

const DEVICE_REFUSALS = describeRefusals('device_disabled', 'account_disabled')

/** A device. The request is a sign of its life. */
const byDevice: Permission<DeviceCaller & HasServices> = {
  security: 'device',
  withCaller: async (c, services, work) =>
    work({ ...(await identifyDevice(c, services)), services }),
}

async function identifyDevice(c: Ctx, services: Services): Promise<DeviceCaller> {
  const caller = await requireDeviceCaller(c, services)
  await touchDevice(caller.store, caller.device, services.config.deviceOnlineSeconds)
  return caller
}

function sendEvents({ device, store, services }: DeviceCaller & HasServices, c: Ctx): Response {
  const { config, streams } = services
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
  limitOpenStreams(c, services, device.user)
  return streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    streams.add(c.env.outgoing, () => gone.abort())
    // null ends the stream, for example if the device was deleted
    const again = async () => (await identifyDevice(c, services).catch(() => null))?.device ?? null
    for await (const item of streamDeviceEvents(
      store,
      device,
      config.deviceOnlineSeconds,
      again,
      gone.signal,
    )) {
      if (item.name === 'alive') await stream.write(': alive\n\n')
      else
        await stream.writeSSE({
          event: item.name,
          data: writeDeviceEvent(item),
        })
    }
  })
}

const OF_ITEMS: Bound = { cost: 'items', by: '100 items' }

/** `/api/devices`: texts to send, reports, received texts. Errors are `{"error","message"}`. */
export const DEVICE_ROUTES = makeRoutes(DEVICE_TAG, {
  'POST /api/devices/heartbeat': {
    permission: byDevice,
    maxBytes: MAX_BODY_BYTES,
    bound: { cost: 'the queue of the device', by: 'one index scan of `sms_dispatch_claim`' },
    describe: {
      id: 'heartbeat',
      summary: 'Report that the device is online',
      body: [HEARTBEAT_BODY, { battery: 80, charging: false, connection: 'wifi' }],
      answer: [
        'How many messages wait for the device.',
        z.object({ pending: z.int().min(0) }).meta({ id: 'Pending' }),
      ],
      fails: DEVICE_REFUSALS,
    },
    run: async ({ device, store }, c) => {
      const { sims, mms, ...health } = checkShape(HEARTBEAT_BODY, await readJsonBody(c))
      if (sims) await saveSims(store, device, sims)
      if (typeof mms === 'boolean') await saveMms(store, device, mms)
      await saveHealth(store, device, health)
      return { pending: await countPending(store, device) }
    },
  },
  'GET /api/devices/push-key': {
    permission: byDevice,
    bound: 'keys',
    describe: {
      id: 'readPushKey',
      summary: "Read the server's VAPID key",
      description: 'For a Web Push subscription. RFC 8292',
      answer: [
        'The public key, in base64url.',
        z.object({ key: z.string() }).meta({ id: 'PushKey' }),
      ],
      fails: DEVICE_REFUSALS,
    },
    changes: true,
    run: async ({ store }) => ({ key: (await loadVapidKeys(store)).publicKey }),
  },
  'PUT /api/devices/push': {
    permission: byDevice,
    maxBytes: MAX_BODY_BYTES,
    bound: 'keys',
    describe: {
      id: 'savePush',
      summary: 'Keep a push subscription',
      description:
        'The push subscription that wakes the device while it has no open stream; `null` removes it.',
      body: [PUSH],
      answer: ['Kept.'],
      fails: DEVICE_REFUSALS,
    },
    run: async ({ device, store, services: { config } }, c) =>
      saveSubscription(store, device, checkShape(PUSH_BODY, await readJsonBody(c)), config),
  },
  'POST /api/devices/claim': {
    permission: byDevice,
    maxBytes: MAX_BODY_BYTES,
    bound: {
      cost: 'the queue of the device',
      by: '100 messages, by an index; two statements for many devices at a time, four claims of devices with limits',
    },
    describe: {
      id: 'claimMessages',
      summary: 'Claim messages to send',
      description:
        'Hands messages to the device until their lease expires. Messages that the device holds already come first, with the same attempt, because an answer may have been lost.',
      body: [CLAIM_BODY, { limit: 10, wait: 30 }],
      answer: [
        'Messages, the most urgent first. Empty when there are none.',
        z.object({ items: z.array(LINKED_MESSAGE) }).meta({ id: 'Claimed' }),
      ],
      fails: DEVICE_REFUSALS,
    },
    run: async ({ device, store, services }, c) => {
      const { config, closing } = services
      const { limit, wait, mms } = checkShape(CLAIM_BODY, await readJsonBody(c))
      let isWaiting = false
      const claim = async () => {
        const all = await claimMessages(store, device, limit ?? DEFAULT_LIMIT, config.leaseSeconds)
        const left = mms ? all : await giveBackMms(store, device, all, config.deviceOnlineSeconds)
        // only a wait takes a place: texts leave even when streams have taken all
        if (wait && left.length === 0 && !isWaiting) limitOpenStreams(c, services, device.user)
        isWaiting = true
        return left
      }
      const ended = AbortSignal.any([closing, c.req.raw.signal])
      const claimed = await claimOrWait(claim, device.id, (wait ?? 0) * 1000, ended)
      return { items: await linkClaimedFiles(store, claimed, config.publicUrl) }
    },
  },
  'POST /api/devices/report': {
    permission: byDevice,
    maxBytes: MAX_BODY_BYTES,
    bound: OF_ITEMS,
    describe: {
      id: 'reportMessages',
      summary: 'Report the outcome of messages',
      description:
        'May be repeated: a report of an old attempt, or one that is known, changes nothing.',
      body: [REPORT_BODY, { items: [{ id: 'k3v9x0c2m5n8b1a', attempt: 1, status: 'sent' }] }],
      answer: [
        'A result for each item, in their order.',
        z.object({ items: z.array(REPORT_RESULT) }).meta({ id: 'ReportResults' }),
      ],
      fails: DEVICE_REFUSALS,
    },
    run: async ({ device, store, services: { config } }, c) => {
      const { items } = checkShape(REPORT_BODY, await readJsonBody(c))
      return { items: await applyReports(store, device, items, config.deviceOnlineSeconds) }
    },
  },
  'POST /api/devices/incoming': {
    permission: byDevice,
    maxBytes: MAX_BODY_BYTES,
    bound: OF_ITEMS,
    describe: {
      id: 'handInTexts',
      summary: 'Hand in texts that the device received',
      body: [
        INCOMING_BODY,
        {
          items: [
            { from: '+4915112345678', body: 'Thank you', received_at: '2026-11-20T07:00:00.000Z' },
          ],
        },
      ],
      answer: [
        'Records of `sms_messages`, in the order of the items.',
        z.object({ ids: z.array(z.string()) }).meta({ id: 'HandedIn' }),
      ],
      fails: DEVICE_REFUSALS,
    },
    run: async ({ device, store, services: { config } }, c) => {
      const { items } = checkShape(INCOMING_BODY, await readJsonBody(c))
      return { ids: await receiveTexts(store, device, items, config.optWords) }
    },
  },
  'POST /api/devices/typed': {
    permission: byDevice,
    maxBytes: MAX_BODY_BYTES,
    bound: OF_ITEMS,
    describe: {
      id: 'handInTypedTexts',
      summary: 'Hand in texts that the owner typed and sent on the phone itself',
      description:
        'Texts to a number with a conversation become its sent messages. They cost no quota and cause no events. Others are not stored.',
      body: [
        TYPED_BODY,
        {
          items: [{ to: '+4915112345678', body: 'On my way', sent_at: '2026-11-20T07:00:00.000Z' }],
        },
      ],
      answer: ['Kept.'],
      fails: DEVICE_REFUSALS,
    },
    run: async ({ device, store }, c) =>
      storeTypedTexts(store, device, checkShape(TYPED_BODY, await readJsonBody(c)).items),
  },
  'GET /api/devices/events': {
    permission: byDevice,
    bound: 'keys',
    describe: {
      id: 'deviceEvents',
      summary: 'Listen for wake-ups',
      description:
        'An event stream. `wake`: come and claim. `canceled`: `{"id","attempt"}` is not to be sent any more; report it as `failed` with `not_sent`. A comment every 15 seconds is a sign of life.',
      fails: DEVICE_REFUSALS,
      responses: describeTextAnswer('text/event-stream', 'The stream.'),
    },
    run: sendEvents,
  },
})
