import { sql } from 'kysely'
import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { anyOf, inSeconds, queries } from '../../db/queries.ts'
import { readOrMakeParam } from '../../db/secrets.ts'
import { minify } from '../../fields/json-text.ts'
import type { Logger } from '../../log.ts'
import { counts } from '../../metrics/counts.ts'
import { sendOutgoing, urlFault } from '../../outgoing/send.ts'
import { WakeSignal } from '../../tools/repeat.ts'
import { invalid } from '../send/refusals.ts'
import { type DeviceEvent, onDeviceEvent } from '../wake.ts'
import { changeDevice, countPending, type Device, touchDevice } from './device.ts'

/** A Web Push subscription of a device or a browser. UnifiedPush uses this format, too. */
export type Subscription = z.output<typeof SUBSCRIPTION>

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

/** Sends an urgent push. Returns the push service's status. Rejects if there is no answer, or on abort. */
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
  await changeDevice(store.db, device, { push }, sql<boolean>`push::text is distinct from ${push}::text`)
}

/** Reads enabled devices with a push subscription and no open stream on any node. */
const findReachable = (db: Db, devices: readonly string[]) =>
  queries(db)
    .selectFrom('devices as d')
    .select(['d.id', 'd.user', 'd.push'])
    .where('d.id', '=', anyOf(devices))
    .where('d.enabled', '=', true)
    .where(sql<boolean>`pb_is_set(d.push)`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('device_streams as s')
            .whereRef('s.device', '=', 'd.id')
            .where('s.until', '>', sql<Date>`now()`),
        ),
      ),
    )
    .execute()

/** The push service keeps an undelivered wake-up for an hour. */
const WAKE = { text: 'wake', topic: 'wake', ttlSeconds: 3600 }

/** Wakes devices by urgent Web Push messages. A newer message replaces an undelivered one. */
export async function pushWake(
  store: Store,
  settings: PushSettings,
  log: Logger,
  devices: readonly string[],
): Promise<void> {
  const reachable = await findReachable(store.db, devices)
  if (reachable.length === 0) return
  const keys = await vapidKeys(store)
  await Promise.all(
    reachable.map(async ({ id, user, push }) => {
      try {
        counts.wakes.push++
        const status = await admission.wakeUps.run(userHolder(user), () =>
          sendPush(JSON.parse(push!), WAKE, keys, settings),
        )
        // delete only the subscription that has ended, not a newer one of the device
        if (isGone(status))
          await changeDevice(store.db, { id, user }, { push: null }, sql<boolean>`push::text = ${push}`)
        else if (status >= 400) log.warn({ device: id, status }, 'a push service refused a wake-up')
      } catch (error) {
        log.warn({ device: id, err: error }, 'could not push a wake-up')
      }
    }),
  )
}

export type StreamItem = SentEvent | { readonly name: 'alive' }
type SentEvent = Exclude<DeviceEvent, { readonly name: 'access' }>

/** Interval of keep-alives, so that both sides and proxies notice a dead stream. */
const ALIVE_MS = 15_000
/** How long a stream of a crashed node counts as open; longer than two keep-alives. */
const PRESENT_SECONDS = 40
/** Maximum waiting events of a stream. Further cancelations for a slow reader are dropped. */
const MAX_WAITING = 1_000

/** Yields keep-alives, a device's events and, if messages wait, `wake`. Ends if `identify` returns null. */
export async function* deviceEvents(
  store: Store,
  device: Device,
  deviceOnlineSeconds: number,
  identify: () => Promise<Device | null>,
  closed: AbortSignal,
): AsyncGenerator<StreamItem> {
  const old = new AbortController()
  const ended = AbortSignal.any([closed, old.signal])
  const leave = openStreamSlot(device.id, () => old.abort())
  const waiting: SentEvent[] = []
  const signal = new WakeSignal()
  let aliveAt = performance.now() + ALIVE_MS
  const stop = onDeviceEvent(device.id, (event) => {
    if (event.name === 'wake') counts.wakes.stream++
    if (event.name === 'access') aliveAt = 0
    else if (!isRepeated(waiting, event) && (event.name === 'wake' || waiting.length < MAX_WAITING))
      waiting.push(event)
    signal.notify()
  })
  try {
    await notePresence(store, device, deviceOnlineSeconds)
    yield { name: 'alive' }
    if ((await countPending(store, device)) > 0) yield { name: 'wake' }
    while (!ended.aborted) {
      yield* waiting.splice(0)
      await signal.wait(Math.max(0, aliveAt - performance.now()), ended)
      if (performance.now() < aliveAt || ended.aborted) continue
      const present = await identify()
      if (!present) return
      await notePresence(store, present, deviceOnlineSeconds)
      yield { name: 'alive' }
      aliveAt = performance.now() + ALIVE_MS
    }
    yield* waiting.splice(0)
  } finally {
    stop()
    if (leave()) await forgetPresence(store, device).catch(() => {}) // expires
  }
}

/** Whether the event is a `wake` and another `wake` already waits in the stream: one is enough. */
const isRepeated = (waiting: readonly SentEvent[], { name }: SentEvent) =>
  name === 'wake' && waiting.some((event) => event.name === 'wake')

/** Maps a device to the `device_streams.until` that this node stored last. A later one is of another node. */
const written = new Map<string, string>()

async function forgetPresence({ db }: Store, { id }: Device) {
  const until = written.get(id) ?? null
  written.delete(id)
  await queries(db)
    .deleteFrom('device_streams')
    .where('device', '=', id)
    .where('until', '<=', sql<Date>`${until}::timestamptz`)
    .execute()
}

async function notePresence(store: Store, device: Device, deviceOnlineSeconds: number) {
  const { until } = await queries(store.db)
    .insertInto('device_streams')
    .values({ device: device.id, until: inSeconds(PRESENT_SECONDS) })
    .onConflict((found) =>
      found.column('device').doUpdateSet(({ ref }) => ({ until: ref('excluded.until') })),
    )
    .returning(sql<string>`until::text`.as('until'))
    .executeTakeFirstOrThrow()
  written.set(device.id, until)
  await touchDevice(store, device, deviceOnlineSeconds)
}

/** Maximum open streams of a device. A phone may reconnect before its broken stream ends. */
const MOST = 5

/** Maps a device to the functions that end its streams on this node, the oldest first. */
const open = new Map<string, (() => void)[]>()

/**
 * Adds a device's stream; a sixth one ends the oldest. The returned function removes the stream, and returns
 * true if the device has no other on this node.
 */
function openStreamSlot(device: string, end: () => void): () => boolean {
  const ends = open.get(device) ?? []
  open.set(device, ends)
  ends.push(end)
  if (ends.length > MOST) ends.shift()!()
  return () => {
    const i = ends.indexOf(end)
    if (i >= 0) ends.splice(i, 1)
    return ends.length === 0 && open.delete(device)
  }
}
