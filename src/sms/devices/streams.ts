import type { Store } from '../../collections/catalog.ts'
import { counts } from '../../metrics/counts.ts'
import { WakeSignal } from '../../tools/wake-signal.ts'
import { type DeviceEvent, onDeviceEvent } from '../wake.ts'
import { countPending, type Device, touchDevice } from './device.ts'

/** An item of a stream: an event or a keep-alive. */
export type StreamItem = SentEvent | { readonly name: 'alive' }
type SentEvent = Exclude<DeviceEvent, { readonly name: 'access' }>

/** Interval of keep-alives, so that both sides and proxies notice a dead stream. */
const ALIVE_MS = 15_000
/** How long a stream of a crashed node counts as open; longer than two keep-alives. */
const PRESENT_SECONDS = 40
/** Maximum waiting events of a stream. A slow reader misses further ones, and claims when it reads again. */
const MAX_WAITING = 1_000

/** Events of a device's stream, first `wake` if messages wait. Checks access at each keep-alive. */
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
    else if (!isRepeated(waiting, event) && waiting.length < MAX_WAITING) waiting.push(event)
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

/** Whether the event is a `wake` and another one already waits: one is enough. */
const isRepeated = (waiting: readonly SentEvent[], { name }: SentEvent) =>
  name === 'wake' && waiting.some((event) => event.name === 'wake')

const PRESENT = `insert into device_streams (device, until) values ($1, now() + interval '${PRESENT_SECONDS} seconds')
  on conflict (device) do update set until = excluded.until returning until::text`

/** By device, the `until` that this server wrote last. A later one belongs to another server's stream. */
const written = new Map<string, string>()

async function forgetPresence({ db }: Store, { id }: Device): Promise<void> {
  const until = written.get(id) ?? null
  written.delete(id)
  await db.query('delete from device_streams where device = $1 and until <= $2', [id, until])
}

async function notePresence(store: Store, device: Device, deviceOnlineSeconds: number): Promise<void> {
  const { rows } = await store.db.query(PRESENT, [device.id])
  written.set(device.id, String(rows[0]![0]))
  await touchDevice(store, device, deviceOnlineSeconds)
}

/** Maximum streams of a device: a phone may reconnect before its broken stream ends. */
const MOST = 5

/** By device, the functions that end its streams on this node, the oldest first. */
const open = new Map<string, (() => void)[]>()

/** Opens one of a device's 5 streams; a sixth ends the oldest. Returns its release: true if none is left. */
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
