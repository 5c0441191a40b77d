import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Config } from '../../platform/config.ts'
import { loadOrMakeParam } from '../../platform/db/secrets.ts'
import { findUrlFault } from '../../platform/outgoing/refuse-private-addresses.ts'
import { sendOutgoing } from '../../platform/outgoing/send-request.ts'

/** A Web Push subscription of a device or a browser. UnifiedPush uses this format, too. */
export type WebPushSubscription = z.output<typeof SUBSCRIPTION>

/** `keys` are those of RFC 8291: an uncompressed P-256 point and 16 bytes, in base64url. */
export const SUBSCRIPTION = z.object({
  endpoint: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2000, 'is too long'),
  keys: z.object({
    p256dh: z.string().regex(/^[\w-]{87}=?$/, 'must be a P-256 public key in base64url'),
    auth: z.string().regex(/^[\w-]{22}(==)?$/, 'must be 16 bytes in base64url'),
  }),
})

/** `vapidSubject`: the operator's mailto: or https: address, which push services get (RFC 8292). */
export type PushSettings = Pick<Config, 'vapidSubject' | 'webhookAllowPrivate'>

type VapidKeys = Readonly<Record<'publicKey' | 'privateKey', string>>

/** A message to push, encrypted for the subscription. */
export interface PushMessage {
  readonly text: string
  /** A newer message of the same topic replaces one that was not delivered yet. RFC 8030, 5.4 */
  readonly topic: string
  /** How long a push service keeps the message while the receiver is off. */
  readonly ttlSeconds: number
}

const VAPID_KEY = 'vapid'

/** The library web-push, loaded only when the first push needs it. */
const loadWebPush = async () => (await import('web-push')).default

/** The server's VAPID keys (RFC 8292), created on first use and kept: subscriptions depend on them. */
export async function loadVapidKeys({ db }: Store): Promise<VapidKeys> {
  const make = async () => JSON.stringify((await loadWebPush()).generateVAPIDKeys())
  return JSON.parse(await loadOrMakeParam(db, VAPID_KEY, make))
}

/** Throws 400 for an endpoint to which no push could be sent. */
export function checkEndpoint(
  { endpoint }: WebPushSubscription,
  { webhookAllowPrivate }: PushSettings,
): void {
  const fault = findUrlFault(endpoint, webhookAllowPrivate)
  if (fault === 'private') throw invalidRequest('endpoint must not be a private address')
  if (fault) throw invalidRequest('endpoint must be an https address')
}

/** Whether a push service's status says that the subscription has ended. RFC 8030, 7.3 */
export const isSubscriptionGone = (status: number): boolean => status === 404 || status === 410

/** Whether `vapidSubject` may be an address on the internet. Apple refuses pushes with others (403). */
export const isPublicSubject = (subject: string): boolean =>
  /[@/][\w-]+(\.[\w-]+)*\.[a-z]{2,}(\/|$)/i.test(subject)

/** Returns advice about the status with which a push service refused a push. */
export const adviseOnPush = (status: number, { vapidSubject }: PushSettings): string =>
  status === 403 && !isPublicSubject(vapidSubject)
    ? `set VAPID_SUBJECT to your mail address: some services refuse ${vapidSubject}`
    : ''

/** Sends an urgent push. Returns the push service's status. Rejects if there is no answer, or on abort. */
export async function sendPush(
  subscription: WebPushSubscription,
  { text, topic, ttlSeconds }: PushMessage,
  keys: VapidKeys,
  settings: PushSettings,
  signal?: AbortSignal,
): Promise<number> {
  const webPush = await loadWebPush()
  const { endpoint, method, headers, body } = webPush.generateRequestDetails(subscription, text, {
    vapidDetails: { subject: settings.vapidSubject, ...keys },
    TTL: ttlSeconds,
    urgency: 'high',
    topic,
  })
  const limits = { allowPrivate: settings.webhookAllowPrivate, ...(signal && { signal }) }
  return (await sendOutgoing({ url: endpoint, method, headers, body }, limits)).status
}
