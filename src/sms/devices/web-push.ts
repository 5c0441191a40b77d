import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { readOrMakeParam } from '../../db/params.ts'
import { type UrlFault, urlFault } from '../../outgoing/addresses.ts'
import { sendOutgoing } from '../../outgoing/send.ts'
import { gatewayRefusal } from '../send/refusal.ts'

/** Where and how a device or a browser receives pushes: what a browser or UnifiedPush hands out. */
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

export interface PushSettings {
  /** Who runs this server, for the push services: a mailto: or https: address. RFC 8292 */
  readonly vapidSubject: string
  readonly webhookAllowPrivate: boolean
}

export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/** What is pushed, encrypted for the subscription. */
export interface PushMessage {
  readonly text: string
  /** A newer message of the same topic replaces one that was not delivered yet. RFC 8030, 5.4 */
  readonly topic: string
  /** How long a push service keeps it for a receiver that is off. */
  readonly ttlSeconds: number
}

const VAPID_KEY = 'vapid'

/** web-push, loaded for the first subscription. */
const library = async () => (await import('web-push')).default

/** The server's VAPID keys (RFC 8292), made when first asked for and kept: subscriptions depend on them. */
export async function vapidKeys({ db }: Store): Promise<VapidKeys> {
  const make = async () => JSON.stringify((await library()).generateVAPIDKeys())
  return JSON.parse(await readOrMakeParam(db, VAPID_KEY, make))
}

const ENDPOINT_FAULTS: Readonly<Record<UrlFault, string>> = {
  not_a_url: 'endpoint must be an http or https address',
  not_http: 'endpoint must be an http or https address',
  not_https: 'endpoint must be an https address',
  private: 'endpoint must not be a private address',
}

/** Throws 400 for an endpoint that pushes could not be sent to. */
export function checkEndpoint({ endpoint }: Subscription, { webhookAllowPrivate }: PushSettings): void {
  const fault = urlFault(endpoint, webhookAllowPrivate)
  if (fault) throw gatewayRefusal('invalid_request', ENDPOINT_FAULTS[fault])
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
