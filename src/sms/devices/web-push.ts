import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { readOrMakeParam } from '../../db/secrets.ts'
import { list, run, statement } from '../../db/statement.ts'
import { minify } from '../../fields/json-text.ts'
import type { Logger } from '../../log.ts'
import { counts } from '../../metrics/counts.ts'
import { sendOutgoing, urlFault } from '../../outgoing/send.ts'
import { invalid } from '../send/shape.ts'
import { changeDevice, type Device } from './device.ts'

/** A push subscription of a device or browser, from a browser or UnifiedPush. */
export type Subscription = z.output<typeof SUBSCRIPTION>

/** RFC 8291: an uncompressed P-256 point and 16 bytes, in base64url. */
export const SUBSCRIPTION = z.object({
  endpoint: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2000, 'is too long'),
  keys: z.object({
    p256dh: z.string().regex(/^[\w-]{87}=?$/, 'must be a P-256 public key in base64url'),
    auth: z.string().regex(/^[\w-]{22}(==)?$/, 'must be 16 bytes in base64url'),
  }),
})

/** `vapidSubject`: the operator's mailto: or https: address, for push services. RFC 8292 */
export type PushSettings = Pick<Config, 'vapidSubject' | 'webhookAllowPrivate'>

type VapidKeys = Readonly<Record<'publicKey' | 'privateKey', string>>

/** A message to push, encrypted for the subscription. */
export interface PushMessage {
  readonly text: string
  /** A newer message of the same topic replaces one that was not delivered yet. RFC 8030, 5.4 */
  readonly topic: string
  /** How long a push service keeps the message for a receiver that is off. */
  readonly ttlSeconds: number
}

const VAPID_KEY = 'vapid'

/** web-push, loaded for the first subscription. */
const library = async () => (await import('web-push')).default

/** The server's VAPID keys (RFC 8292), created on first use and kept: subscriptions depend on them. */
export async function vapidKeys({ db }: Store): Promise<VapidKeys> {
  const make = async () => JSON.stringify((await library()).generateVAPIDKeys())
  return JSON.parse(await readOrMakeParam(db, VAPID_KEY, make))
}

/** Throws 400 for an endpoint to which no push could be sent. */
export function checkEndpoint({ endpoint }: Subscription, { webhookAllowPrivate }: PushSettings): void {
  const fault = urlFault(endpoint, webhookAllowPrivate)
  if (fault === 'private') throw invalid('endpoint must not be a private address')
  if (fault) throw invalid('endpoint must be an https address')
}

/** Whether a push service's status says that the subscription has ended. RFC 8030, 7.3 */
export const isGone = (status: number): boolean => status === 404 || status === 410

/** Sends an urgent push; returns the service's status. Rejects on refusal, timeout or abort. */
export async function sendPush(
  subscription: Subscription,
  { text, topic, ttlSeconds }: PushMessage,
  keys: VapidKeys,
  settings: PushSettings,
  signal?: AbortSignal,
): Promise<number> {
  const webPush = await library()
  const { endpoint, method, headers, body } = webPush.generateRequestDetails(subscription, text, {
    vapidDetails: { subject: settings.vapidSubject, ...keys },
    TTL: ttlSeconds,
    urgency: 'high',
    topic,
  })
  const limits = { allowPrivate: settings.webhookAllowPrivate, ...(signal && { signal }) }
  return (await sendOutgoing({ url: endpoint, method, headers, body }, limits)).status
}

/** Stores a device's subscription; null deletes it. Throws 400 for an address that cannot be called. */
export async function saveSubscription(
  store: Store,
  device: Device,
  subscription: Subscription | null,
  settings: PushSettings,
): Promise<void> {
  if (subscription) checkEndpoint(subscription, settings)
  const push = subscription && minify(JSON.stringify(subscription))
  await changeDevice(store.db, device, 'push = $3::json', 'push::text is distinct from $3::text', push)
}

/** Reads enabled devices with a push subscription and no open stream on any node. */
const REACHABLE = statement('devices to wake by push', { id: 'string', user: 'string', push: 'string?' })`
select d.id, d."user", d.push from devices d where d.id = any(${list('devices')}) and d.enabled and pb_is_set(d.push)
  and not exists (select from device_streams s where s.device = d.id and s.until > now())`

/** The push service keeps an undelivered wake-up for an hour. */
const WAKE = { text: 'wake', topic: 'wake', ttlSeconds: 3600 }

/** Wakes devices by urgent Web Push messages. Each replaces an undelivered one. */
export async function pushWake(
  store: Store,
  settings: PushSettings,
  log: Logger,
  devices: readonly string[],
): Promise<void> {
  const reachable = await run(store.db, REACHABLE, { devices })
  if (reachable.length === 0) return
  const keys = await vapidKeys(store)
  await Promise.all(
    reachable.map(async ({ id, user, push }) => {
      try {
        counts.wakes.push++
        const status = await admission.wakeUps.run(userHolder(user), () =>
          sendPush(JSON.parse(push!), WAKE, keys, settings),
        )
        // not a newer subscription of the device
        if (isGone(status)) await changeDevice(store.db, { id, user }, 'push = null', 'push::text = $3', push)
        else if (status >= 400) log.warn({ device: id, status }, 'a push service refused a wake-up')
      } catch (error) {
        log.warn({ device: id, err: error }, 'could not push a wake-up')
      }
    }),
  )
}
