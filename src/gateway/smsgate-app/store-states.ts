import type { Store } from '../../engine/collections/catalog.ts'
import type { Config } from '../../platform/config.ts'
import { makeDatabaseGroups } from '../../platform/db/group-commits.ts'
import type { Device } from '../base/device-record.ts'
import { REASONS } from '../base/message-status.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import {
  type Applied,
  applyReportGroup,
  type DeviceReports,
  type Report,
} from '../messages/queue/apply-report-groups.ts'
import { applyReports } from '../messages/queue/apply-reports.ts'
import { type MessageAttempt, renewLeases } from '../messages/queue/message-leases.ts'
import { makeAppId, readAppId } from './app-json.ts'
import { listRecalled, noteExpired, noteHeld } from './held-texts.ts'
import { noteClockAhead } from './note-clock.ts'
import { reduceCapacity } from './phone-capacity.ts'
import { phoneLease } from './pull-messages.ts'
import { wakeForMore } from './refill.ts'
import type { StateReport } from './state-report-body.ts'
import { type Progress, writeProgress } from './texts-at-phone.ts'

/** The app's error for a message that expired just before sending. */
const TOO_LATE = 'TTL expired'
/** `paceMs` of the reports of phones: the app makes them in the background, and a statement takes 2 ms. */
const PACE_MS = 50
type Outcome = Omit<Report, 'id' | 'attempt'>

/** Outcomes by the app's final states. In the other states the phone still has the text. */
const OUTCOMES: Readonly<Partial<Record<StateReport['state'], (report: StateReport) => Outcome>>> =
  {
    Sent: ({ states }) => ({ status: 'sent', at: states.Sent }),
    Delivered: ({ states }) => ({ status: 'delivered', at: states.Delivered }),
    Failed: (report) => failed(findReportError(report)),
    Cancelled: () => ({
      status: 'failed',
      error_message: REASONS.canceledOnPhone,
      blameless: true,
    }),
  }

/** The app checks for TOO_LATE before it sends, so a message with this error was not sent. */
const failed = (error: string): Outcome => ({
  status: 'failed',
  error_message: error,
  not_sent: error === TOO_LATE,
  blameless: error === TOO_LATE,
})

/** The phone has canceled a text that the server asked it to cancel. */
const RECALLED: Outcome = {
  status: 'failed',
  error_message: 'The phone held it',
  not_sent: true,
  blameless: true,
}

/** Whether the phone did not try to send a text. */
const isUnsent = (report: StateReport) =>
  report.state === 'Cancelled' || findReportError(report) === TOO_LATE

const findReportError = ({ recipients }: StateReport) =>
  recipients.find(({ error }) => error)?.error ?? ''

/** A phone's report of texts; `reports` are the outcomes that the group applies. */
interface PhoneReports extends DeviceReports {
  readonly progress: readonly Progress[]
}

/**
 * Stores the reports of many phones together. Those on one text stay in order. A group may have several of a
 * phone, as the app reports on each text alone.
 */
const reporting = makeDatabaseGroups<PhoneReports, Applied>((db) => ({
  keyOf: ({ device, progress }) => device.id + (progress.length === 1 ? progress[0]!.id : ''),
  isOnce: true,
  paceMs: PACE_MS,
  sizeOf: ({ progress }) => progress.length,
  async store(items) {
    const all = items.flatMap(({ progress }) => progress)
    const applied = await applyReportGroup(db, items, (reports) => writeProgress(all, reports))
    // a text that was sent before took no place on the phone
    const freed = items.filter(
      ({ progress }, i) =>
        applied[i]!.before[0] !== 'sent' && progress.some(({ step }) => step !== 'waits'),
    )
    await wakeForMore(db, [...new Set(freed.map(({ device }) => device.id))])
    return applied
  },
}))

/** Stores the states that a phone reports; ignores unknown ids. May tell the phone to fetch more texts. */
export async function storeStates(
  store: Store,
  device: Device,
  states: readonly StateReport[],
  { leaseSeconds, deviceOnlineSeconds }: Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>,
): Promise<void> {
  const seconds = phoneLease(leaseSeconds)
  const named = states.flatMap((state) => {
    const attempt = readAppId(state.id)
    return attempt ? [{ state, attempt }] : []
  })
  const canceled = named.filter(({ state }) => state.state === 'Cancelled')
  const recalled = await listRecalled(
    store,
    device,
    canceled.map(({ attempt }) => attempt),
  )
  const known = named.map(({ state, attempt }) => {
    const isRecalled = state.state === 'Cancelled' && recalled.has(makeAppId(attempt))
    const outcome = isRecalled ? RECALLED : OUTCOMES[state.state]?.(state)
    return { state, attempt, outcome }
  })
  const reports = known.flatMap(({ attempt, outcome }) =>
    outcome ? [{ ...attempt, ...outcome }] : [],
  )
  // the last state counts if a report names a text twice
  const progress = [
    ...new Map(
      known.map((text) => [makeAppId(text.attempt), makeProgress(device, text, seconds)]),
    ).values(),
  ]
  const waiting = progress.filter(({ step }) => step === 'waits')
  await renewLeases(store, device, waiting, seconds)
  await adaptToExpiredTexts(store, device, states, leaseSeconds)
  const holds = await noteHeld(store, device, waiting, seconds)
  const group = reporting(store.db)
  if (known.length === 1 && !reports[0]?.not_sent) {
    await applyReports(store, device, reports, deviceOnlineSeconds, (item) =>
      group.add({ ...item, progress }),
    )
  } else {
    if (reports.length > 0) await applyReports(store, device, reports, deviceOnlineSeconds)
    if (progress.length > 0) await group.add({ device, reports: [], progress })
  }
  // its streams look whether it is to cancel a text
  if (holds) wakeDevices(store.db, [device.id])
}

function makeProgress(
  { id: device, user }: Device,
  { state, attempt, outcome }: { state: StateReport; attempt: MessageAttempt; outcome?: Outcome },
  seconds: number,
): Progress {
  const has = state.state === 'Processed' ? 'processed' : 'waits'
  const step = outcome ? 'over' : has
  return {
    ...attempt,
    device,
    user,
    step,
    isSending: step !== 'waits' && !isUnsent(state),
    seconds,
  }
}

/** After texts expired on a phone: stores that its clock is ahead, or else gives it fewer at once. */
async function adaptToExpiredTexts(
  store: Store,
  device: Device,
  states: readonly StateReport[],
  leaseSeconds: number,
) {
  if (!states.some((state) => findReportError(state) === TOO_LATE)) return
  if (await noteExpired(store, device)) return
  const latestMs = Math.max(0, ...states.flatMap(({ states }) => Object.values(states)))
  if (await noteClockAhead(store, device, latestMs - Date.now())) return
  await reduceCapacity(store, device, phoneLease(leaseSeconds))
}
