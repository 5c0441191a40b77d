import type { Store } from '../../engine/collections/catalog.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { Config } from '../../platform/config.ts'
import type { Device } from '../base/device-record.ts'
import { streamDeviceEvents } from '../lines/device-event-stream.ts'
import { wakeLocalDevices } from '../lines/wake-devices.ts'
import { type Period, takeInboxRequest } from './inbox-request.ts'
import { endAbsence, findOrMakePhone } from './phone-record.ts'
import { claimPullNotice, noteConnected } from './refill.ts'

const KEEP_ALIVE = ':keepalive\n\n'
/**
 * We request texts from this long before a phone was last seen on: it may not have posted the last ones.
 */
const OVERLAP_MS = 60_000
/** Older texts are not requested: the phone would post its whole inbox. */
const MAX_MISSED_MS = 30 * 86_400_000

export const frame = (event: string, data: unknown) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const PULL = frame('MessageEnqueued', null)

/** When its stream opens, the app fetches its texts unasked. After this time we check whether it did. */
const CONNECT_MS = 2_000
/** After this time we check whether a phone that was told to fetch its texts did. */
const LOOK_MS = 4_000
/** How many times we check in the last LEASE_SECONDS of a lease. A check then makes the phone report. */
const LOOKS_PER_LEASE = 2
/** The interval of keep-alives, at which we check anyway. Only shorter intervals need a timer. */
const USUAL_MS = 15_000

/**
 * The app's event stream as text. On each event and keep-alive, checks whether to tell the phone to fetch its
 * texts. At the first keep-alive, asks instead for texts that the phone received while away.
 */
export async function* phoneEvents(
  store: Store,
  device: Device,
  config: Config,
  identify: () => Promise<Device | null>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  const { deviceOnlineSeconds, leaseSeconds } = config
  const { missedSince } = await findOrMakePhone(store, device)
  const isToPull = () => claimPullNotice(store, device, config)
  await noteConnected(store, device)
  let timer: NodeJS.Timeout | undefined
  const lookIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => wakeLocalDevices([device.id]), ms)
  }
  lookIn(CONNECT_MS)
  const lapseMs = (leaseSeconds * 1000) / LOOKS_PER_LEASE
  let signs = 0
  try {
    for await (const item of streamDeviceEvents(
      store,
      device,
      deviceOnlineSeconds,
      identify,
      ended,
    )) {
      if (item.name === 'alive') {
        yield KEEP_ALIVE
        signs++
        if (missedSince && signs === 1) yield askForInbox(missedSince)
        // the stream still works at the second keep-alive, so the phone has received `askForInbox`
        if (missedSince && signs === 2) await endAbsence(store, device, missedSince)
        if (signs > 1 && (await isToPull())) yield PULL
        yield* askedFor(store, device)
        continue
      }
      const isTold = await isToPull()
      if (isTold) yield PULL
      else yield* askedFor(store, device)
      if (isTold || lapseMs < USUAL_MS) lookIn(isTold ? LOOK_MS : lapseMs)
    }
  } finally {
    clearTimeout(timer)
  }
}

async function* askedFor(store: Store, device: Device): AsyncGenerator<string> {
  const period = await takeInboxRequest(store, device)
  if (period) yield exportFrame(period)
}

function askForInbox(missedSince: string): string {
  const until = Date.now()
  const since = Math.max(toDate(missedSince)!.getTime() - OVERLAP_MS, until - MAX_MISSED_MS)
  return exportFrame({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
}

const exportFrame = (period: Period) =>
  frame('MessagesExportRequested', { ...period, messageTypes: 'SMS,MMS', triggerWebhooks: 'true' })
