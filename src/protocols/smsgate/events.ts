import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { dateOf } from '../../fields/types/date.ts'
import type { Device } from '../../sms/devices/device.ts'
import { deviceEvents } from '../../sms/devices/streams.ts'
import { wakeHere } from '../../sms/wake/wake.ts'
import { noteConnected, shouldPull } from './handed-texts.ts'
import { endAbsence, type Period, phoneOf, takeInboxRequest } from './phone.ts'

/** Interval of a stream's own checks. */
const USUAL_MS = 15_000

/** The next time that a stream checks whether its phone should pull, as an answer may be lost. */
function planChecks(device: string) {
  let timer: NodeJS.Timeout | undefined
  let atMs = Infinity
  let isDue = false
  let after = 0
  /** Plans a check after this time. */
  const plan = (afterMs: number) => {
    if (performance.now() + afterMs >= atMs) return
    clearTimeout(timer)
    after = afterMs
    atMs = performance.now() + afterMs
    timer = setTimeout(() => {
      isDue = true
      atMs = Infinity
      wakeHere([device])
    }, afterMs)
  }
  return {
    plan,
    /** Plans the next check after twice the time. */
    planNext: () => after * 2 < USUAL_MS && plan(after * 2),
    /** Whether the present wake-up is a planned check. */
    takeDue() {
      const wasDue = isDue
      isDue = false
      return wasDue
    },
    stop: () => clearTimeout(timer),
  }
}

const KEEP_ALIVE = ':keepalive\n\n'
/** Texts from shortly before the phone was last seen may be missing, too. */
const OVERLAP_MS = 60_000
/** Older texts are not requested: the phone would post its whole inbox. */
const MAX_MISSED_MS = 30 * 86_400_000

const frame = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const PULL = frame('MessageEnqueued', null)

/** The app pulls by itself when its stream opens. Delay of the check whether it did. */
const CONNECT_MS = 2_000
/** Delay, after a wake-up, of the check whether the phone pulled its texts. */
const LOOK_MS = 4_000
/** Checks in the last `LEASE_SECONDS` of a lease, when a phone is asked to pull. */
const LOOKS_PER_LEASE = 2

/**
 * The app's event stream as text: tells a phone to pull when that brings it something. Checks with each
 * wake-up and keep-alive, so that a lost notice costs seconds. Begins with a request for texts that the phone
 * received while away.
 */
export async function* phoneEvents(
  store: Store,
  device: Device,
  { deviceOnlineSeconds, leaseSeconds }: Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>,
  identify: () => Promise<Device | null>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  const { missedSince } = await phoneOf(store, device)
  const isToPull = () => shouldPull(store, device, leaseSeconds)
  await noteConnected(store, device)
  const check = planChecks(device.id)
  check.plan(CONNECT_MS)
  const lapseMs = (leaseSeconds * 1000) / LOOKS_PER_LEASE
  let signs = 0
  try {
    for await (const item of deviceEvents(store, device, deviceOnlineSeconds, identify, ended)) {
      if (item.name === 'alive') {
        yield KEEP_ALIVE
        signs++
        if (missedSince && signs === 1) yield askForInbox(missedSince)
        // the phone was still connected to receive it
        if (missedSince && signs === 2) await endAbsence(store, device, missedSince)
        if (signs > 1 && (await isToPull())) yield PULL
        yield* askedFor(store, device)
        continue
      }
      const isPlanned = check.takeDue()
      const isTold = await isToPull()
      if (isTold) yield PULL
      else yield* askedFor(store, device)
      if (!isPlanned) check.plan(LOOK_MS)
      else if (isTold) check.planNext()
      if (lapseMs < USUAL_MS) check.plan(lapseMs)
    }
  } finally {
    check.stop()
  }
}

/** Requests texts for a program's inbox refresh. */
async function* askedFor(store: Store, device: Device): AsyncGenerator<string> {
  const period = await takeInboxRequest(store, device)
  if (period) yield exportFrame(period)
}

/** Requests texts since the phone was last seen. Known ones are ignored. */
function askForInbox(missedSince: string): string {
  const until = Date.now()
  const since = Math.max(dateOf(missedSince)!.getTime() - OVERLAP_MS, until - MAX_MISSED_MS)
  return exportFrame({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
}

const exportFrame = (period: Period) =>
  frame('MessagesExportRequested', { ...period, messageTypes: 'SMS,MMS', triggerWebhooks: 'true' })
