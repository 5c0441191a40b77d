import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { WakeSignal } from '../../platform/tools/repeat-work.ts'
import { countPending, type Device, touchDevice } from '../base/device-record.ts'
import { type DeviceEvent, subscribeToDevice } from './wake-devices.ts'

type StreamItem = SentEvent | { readonly name: 'alive' }
type SentEvent = Exclude<DeviceEvent, { readonly name: 'access' }>

/** Interval of keep-alives, so that both sides and proxies notice a dead stream. */
const ALIVE_MS = 15_000
/** How long a stream of a crashed node counts as open; longer than two keep-alives. */
const PRESENT_SECONDS = 40
/** Maximum waiting events of a stream. Further cancelations for a slow reader are dropped. */
const MAX_WAITING = 1_000

/** Yields keep-alives, a device's events and, if messages wait, `wake`. Ends if `identify` returns null. */
export async function* streamDeviceEvents(
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
  const stop = subscribeToDevice(device.id, (event) => {
    if (event.name === 'wake') counts.wakes.stream++
    if (event.name === 'access') aliveAt = 0
    else if (!isRepeated(waiting, event) && (event.name === 'wake' || waiting.length < MAX_WAITING))
      waiting.push(event)
    signal.notify()
  })
  try {
    await notePresence(store, device, deviceOnlineSeconds)
    yield { name: 'alive' }
    yield* await listCanceled(store, device)
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

/** The texts that a device has fetched and must not send any more: it may have missed their events. */
async function listCanceled({ db }: Store, { id, user }: Device): Promise<SentEvent[]> {
  const found = await queries(db)
    .selectFrom('sms_dispatch')
    .select(['message', 'attempt'])
    .where('device', '=', id)
    .where('user', '=', user)
    .where('state', '=', sql.lit('sending'))
    .where('refused', '<>', sql.lit(''))
    .limit(sql.lit(MAX_WAITING))
    .execute()
  return found.map(({ message, attempt }) => ({ name: 'canceled', message, attempt }))
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
    .values({ device: device.id, until: writeTimeInSeconds(PRESENT_SECONDS) })
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
