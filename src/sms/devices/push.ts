import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { counts } from '../../counts.ts'
import { addParam, readParam } from '../../db/params.ts'
import { minify } from '../../fields/values/json-text.ts'
import type { Logger } from '../../log.ts'
import { sendOutgoing } from '../../outgoing/send.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { changeDevice, type Device } from './device.ts'
import { PushCalls } from './push-calls.ts'

/**
 * Where and how a device can be woken when it has no stream open: what a browser or UnifiedPush hands out.
 */
export type Subscription = z.output<typeof SUBSCRIPTION>

/** RFC 8291: an uncompressed P-256 point and 16 bytes, in base64url. */
export const SUBSCRIPTION = z.object({
  endpoint: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2000, 'is too long'),
  keys: z.object(
    {
      p256dh: z.string('must be a text').regex(/^[\w-]{87}=?$/, 'must be a P-256 public key in base64url'),
      auth: z.string('must be a text').regex(/^[\w-]{22}(==)?$/, 'must be 16 bytes in base64url'),
    },
    'must be an object',
  ),
})

/** What push needs of the settings. */
export interface PushSettings {
  /** Who runs this server, for the push services: a mailto: or https: address. RFC 8292 */
  readonly vapidSubject: string
  readonly webhookAllowPrivate: boolean
}

interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
}

const VAPID_KEY = 'vapid'

/** web-push, loaded for the first device that wants it. */
const library = async () => (await import('web-push')).default

/** The server's VAPID keys (RFC 8292), made when first asked for and kept: subscriptions hang on them. */
export async function vapidKeys({ db }: Store): Promise<VapidKeys> {
  const read = () => readParam(db, VAPID_KEY)
  let stored = await read()
  if (!stored) {
    await addParam(db, VAPID_KEY, JSON.stringify((await library()).generateVAPIDKeys()))
    stored = await read()
  }
  return JSON.parse(stored!)
}

const SAVE = { set: 'push = $4::json', where: 'push::text is distinct from $4::text' }

/**
 * Keeps a device's subscription; null takes it away. Throws 400 for one that wake-ups could not be sent to.
 */
export async function saveSubscription(
  store: Store,
  device: Device,
  subscription: Subscription | null,
  settings: PushSettings,
): Promise<void> {
  if (subscription && !settings.webhookAllowPrivate && !subscription.endpoint.startsWith('https://'))
    throw gatewayRefusal('invalid_request', 'endpoint must be an https address')
  await changeDevice(store.db, device, SAVE, [subscription && minify(JSON.stringify(subscription))])
}

/** Enabled devices that can be reached by push and have no stream open on any node. */
const REACHABLE = `
select d.id, d."user", d.push::text from devices d
where d.id = any($1) and d.enabled and pb_is_set(d.push)
  and not exists (select from device_streams s where s.device = d.id and s.until > now())`

/** A newer subscription of the device stays. */
const DROP = { set: 'push = null', where: 'push::text = $4' }

/** For how long a push service keeps a wake-up for a device that is off. */
const TTL_SECONDS = 3600
/** The subscription is over. RFC 8030, 7.3 */
const GONE = new Set([404, 410])

/** Those of this process. */
const calls = new PushCalls()

/**
 * Wakes devices by Web Push: no content, urgent, a newer one replaces an older one that was not delivered
 * yet.
 */
export async function pushWake(
  store: Store,
  settings: PushSettings,
  log: Logger,
  devices: readonly string[],
): Promise<void> {
  const { rows } = await store.db.query(REACHABLE, [devices])
  if (rows.length === 0) return
  const keys = await vapidKeys(store)
  await Promise.all(
    (rows as [string, string, string][]).map(async ([id, user, push]) => {
      try {
        counts.wakes.push++
        const status = await calls.run(user, () => sendPush(JSON.parse(push), keys, settings))
        if (GONE.has(status)) await changeDevice(store.db, { id, user }, DROP, [push])
        else if (status >= 400) log.warn({ device: id, status }, 'a push service refused a wake-up')
      } catch (error) {
        log.warn({ device: id, err: error }, 'a wake-up could not be pushed')
      }
    }),
  )
}

async function sendPush(
  subscription: Subscription,
  keys: VapidKeys,
  settings: PushSettings,
): Promise<number> {
  const webPush = await library()
  const { endpoint, method, headers, body } = webPush.generateRequestDetails(subscription, 'wake', {
    vapidDetails: { subject: settings.vapidSubject, ...keys },
    TTL: TTL_SECONDS,
    urgency: 'high',
    topic: 'wake',
  })
  const limits = { allowPrivate: settings.webhookAllowPrivate }
  return (await sendOutgoing({ url: endpoint, method, headers, body }, limits)).status
}
