import { randomUUID } from 'node:crypto'
import type { Db } from '../db/open.ts'

/** What a device is told. Never any content: `wake` says come and claim, `canceled` names a message to forget. */
export type DeviceEvent = { readonly name: 'wake' } | { readonly name: 'canceled'; readonly message: string }
type Heard = (event: DeviceEvent) => void

const WAKE: DeviceEvent = Object.freeze({ name: 'wake' })
/** Channel of NOTIFY: payloads of `wakePayloads`. A hint to the other nodes; what must not be lost is a row. */
export const WAKE_CHANNEL = 'pocketsms_wake'
/** Channel of NOTIFY: `<node> <device> <message>`. */
const CANCEL_CHANNEL = 'pocketsms_canceled'
/** NOTIFY takes 8,000 bytes: the name of this node and 400 ids are below that. */
const IDS_PER_PAYLOAD = 400
/** Names this process in notifications: it does not wake twice what it has woken before it heard itself. */
export const NODE = randomUUID()

/** Who waits in this process for which device: event streams and waiting claims. */
const waiting = new Map<string, Set<Heard>>()
const unheard = new Set<(devices: readonly string[]) => void>()

/** Calls `heard` for everything that is said to a device, until the returned function is called. */
export function listenFor(device: string, heard: Heard): () => void {
  const set = waiting.get(device) ?? new Set()
  waiting.set(device, set.add(heard))
  return () => {
    set.delete(heard)
    if (set.size === 0 && waiting.get(device) === set) waiting.delete(device)
  }
}

/** Calls `reach` with the devices of a wake-up that nobody in this process waits for. Returns what ends that. */
export function whenUnheard(reach: (devices: readonly string[]) => void): () => void {
  unheard.add(reach)
  return () => void unheard.delete(reach)
}

/**
 * Says "come and claim" to devices, at once: to their open streams and waiting claims in this process, else by
 * Web Push. Call it after the commit; `wakePayloads` in the same transaction tells the other nodes.
 */
export function wakeDevices(devices: readonly string[]): void {
  const away = devices.filter((device) => !say(device, WAKE))
  if (away.length > 0) for (const reach of unheard) reach(away)
}

/**
 * What the other nodes have to hear of a wake-up: parameters of
 * `select pg_notify('pocketsms_wake', payload) from unnest($n::text[]) payload` in the transaction that assigns.
 */
export function wakePayloads(devices: readonly string[]): string[] {
  const payloads: string[] = []
  for (let i = 0; i < devices.length; i += IDS_PER_PAYLOAD)
    payloads.push(`${NODE} ${devices.slice(i, i + IDS_PER_PAYLOAD).join(' ')}`)
  return payloads
}

/** Tells a device, on whatever node its stream is, that a message it may know of was canceled. */
export async function tellCanceled(db: Db, device: string, message: string): Promise<void> {
  say(device, { name: 'canceled', message })
  await db.query('select pg_notify($1, $2)', [CANCEL_CHANNEL, `${NODE} ${device} ${message}`])
}

/** Passes on what other nodes say, until the returned function is called. */
export async function hearOtherNodes(db: Db): Promise<() => Promise<void>> {
  const stops = await Promise.all([
    db.listen(WAKE_CHANNEL, (payload) => {
      const [node, ...devices] = payload.split(' ')
      // nothing: something may have been missed, and a wake-up for nothing costs a claim
      const woken = payload === '' ? [...waiting.keys()] : devices
      if (node !== NODE) for (const device of woken) say(device, WAKE)
    }),
    db.listen(CANCEL_CHANNEL, (payload) => {
      const [node, device, message] = payload.split(' ')
      if (node !== NODE && device && message) say(device, { name: 'canceled', message })
    }),
  ])
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** True if somebody in this process waits for the device. */
function say(device: string, event: DeviceEvent): boolean {
  const set = waiting.get(device)
  if (!set) return false
  for (const heard of [...set]) heard(event)
  return true
}
