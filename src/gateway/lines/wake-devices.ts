import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Logger } from '../../platform/log.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { WakeSignal } from '../../platform/tools/repeat-work.ts'

/**
 * `wake`: claim messages. `canceled`: do not send this attempt. `access`: check whether streams may continue.
 */
export type DeviceEvent =
  | { readonly name: 'wake' }
  | { readonly name: 'access' }
  | { readonly name: 'canceled'; readonly message: string; readonly attempt: number }
/** An event's data, JSON. */
export const writeDeviceEvent = (event: DeviceEvent): string =>
  JSON.stringify('message' in event ? { id: event.message, attempt: event.attempt } : {})

type Heard = (event: DeviceEvent) => void

const WAKE: DeviceEvent = Object.freeze({ name: 'wake' })
/** NOTIFY channel of wake-ups: `<node> <device> <device> …`. Notifications may be lost. */
export const WAKE_CHANNEL = 'pocketsms_wake'
/** NOTIFY channel of canceled messages: `<device> <message> <attempt>`. Reaches all nodes. */
const CANCEL_CHANNEL = 'pocketsms_canceled'
/** NOTIFY channel: the id of a device whose streams must check their access. Reaches all nodes. */
const ACCESS_CHANNEL = 'pocketsms_access'
/** NOTIFY allows 8,000 bytes: this node's name and 400 ids fit. */
const IDS_PER_PAYLOAD = 400
/** This process's name in notifications, by which it ignores its own wake-ups. */
const NODE = randomUUID()

/** Listeners of this process by device: event streams and waiting claims. */
const listeners = new Map<string, Set<Heard>>()
/** Called with woken devices that have no listener here. */
const onUnheard = new Set<(devices: readonly string[]) => void>()

/** Calls `heard` for each event of a device, until the returned function is called. */
export function subscribeToDevice(device: string, heard: Heard): () => void {
  const set = listeners.get(device) ?? new Set()
  listeners.set(device, set.add(heard))
  return () => {
    set.delete(heard)
    if (set.size === 0 && listeners.get(device) === set) listeners.delete(device)
  }
}

/** Wake-ups of a device within this time are passed on as one. */
const GATHER_MS = 1_000

/**
 * Calls `reach` with woken devices that have no listener in this process: immediately with the first ones,
 * then each second with those added since. Returns a function to stop.
 */
export function watchUnheardWakes(
  reach: (devices: string[]) => Promise<void>,
  log: Logger,
): () => void {
  const devices = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    if (devices.size === 0) return
    const batch = [...devices]
    devices.clear()
    timer = setTimeout(flush, GATHER_MS)
    reach(batch).catch((error) => log.error({ err: error }, 'could not push wake-ups'))
  }
  const add = (more: readonly string[]) => {
    for (const device of more) devices.add(device)
    if (!timer) flush()
  }
  onUnheard.add(add)
  return () => {
    onUnheard.delete(add)
    clearTimeout(timer)
  }
}

/** Wakes devices: by streams and waiting claims of all nodes, else by push. Call it after the commit. */
export function wakeDevices(db: Db, devices: readonly string[]): void {
  wakeLocalDevices(devices)
  for (let i = 0; i < devices.length; i += IDS_PER_PAYLOAD)
    db.announce(WAKE_CHANNEL, [NODE, ...devices.slice(i, i + IDS_PER_PAYLOAD)].join(' '))
}

/** Wakes devices by streams and waiting claims of this process; devices that have neither, by push. */
export function wakeLocalDevices(devices: readonly string[]): void {
  const away: string[] = []
  for (const device of devices) if (!emitDeviceEvent(device, WAKE)) away.push(device)
  if (away.length > 0) for (const reach of onUnheard) reach(away)
}

/** Notifies a device's streams on all nodes of a canceled message, when the transaction of `db` commits. */
export const notifyCanceled = (db: Db, device: string, message: string, attempt: number) =>
  callFunction(db, 'sms_announce_canceled', device, message, attempt)

/** Makes devices' streams check their access, when the transaction of `db` commits. */
export const notifyAccess = (db: Db, devices: readonly string[]) =>
  queries(db)
    .selectFrom(sql<{ id: string }>`unnest(${devices}::text[])`.as<'d'>(sql`d(id)`))
    .select(sql`_announce(${ACCESS_CHANNEL}, d.id)`.as('announced'))
    .execute()

/** Passes other nodes' events to this process's listeners. Returns a function to stop. */
export async function listenToOtherNodes(db: Db) {
  const stops = await Promise.all([
    db.listen(WAKE_CHANNEL, (payload) => {
      const [node, ...devices] = payload.split(' ')
      // '': notifications may have been missed, so wake all: a needless wake-up costs only a claim
      const woken = payload === '' ? [...listeners.keys()] : devices
      if (node !== NODE) for (const device of woken) emitDeviceEvent(device, WAKE)
    }),
    db.listen(CANCEL_CHANNEL, (payload) => {
      const [device, message, attempt] = payload.split(' ')
      if (message !== undefined)
        emitDeviceEvent(device!, { name: 'canceled', message, attempt: Number(attempt) })
    }),
    db.listen(ACCESS_CHANNEL, (payload) => {
      emitDeviceEvent(payload, { name: 'access' })
    }),
  ])
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** Passes an event to a device's listeners in this process. False if there are none. */
function emitDeviceEvent(device: string, event: DeviceEvent) {
  const set = listeners.get(device)
  if (!set) return false
  for (const heard of [...set]) heard(event)
  return true
}

/** A waiting claim is repeated at this interval: a wake-up may be lost, or a limit may have ended. */
const LOOK_MS = 5_000

/** Calls `claim` now and at wake-ups until it returns messages, `waitMs` are over or `ended` aborts. */
export async function claimOrWait<T>(
  claim: () => Promise<T[]>,
  device: string,
  waitMs: number,
  ended: AbortSignal,
): Promise<T[]> {
  const end = performance.now() + waitMs
  const signal = new WakeSignal()
  const stop = subscribeToDevice(device, () => {
    counts.wakes.long_poll++
    signal.notify()
  })
  try {
    for (;;) {
      const found = await claim()
      const leftMs = end - performance.now()
      if (found.length > 0 || leftMs <= 0) return found
      await signal.wait(Math.min(leftMs, LOOK_MS), ended)
      if (ended.aborted) return []
    }
  } finally {
    stop()
  }
}
