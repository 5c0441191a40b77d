import type { Store } from '../../engine/collections/catalog.ts'
import type { Config } from '../../platform/config.ts'
import type { Device } from '../base/device-record.ts'
import { REASONS } from '../base/message-status.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import type { Report } from '../messages/queue/apply-report-groups.ts'
import { applyReports } from '../messages/queue/apply-reports.ts'
import { renewLeases } from '../messages/queue/message-leases.ts'
import { makeAppId, readAppId } from './app-json.ts'
import { listRecalled, noteExpired, noteHeld, noteSending } from './held-texts.ts'
import { noteClockAhead } from './note-clock.ts'
import { reduceCapacity } from './phone-capacity.ts'
import { phoneLease } from './pull-messages.ts'
import { wakeForMore } from './refill.ts'
import type { StateReport } from './state-report-body.ts'
import { noteProgress, type Progress } from './texts-at-phone.ts'

/** The app's error for a message that expired just before sending. */
const TOO_LATE = 'TTL expired'
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

/** Stores the states that a phone reports; ignores unknown ids. May tell the phone to fetch more texts. */
export async function storeStates(
  store: Store,
  device: Device,
  states: readonly StateReport[],
  { leaseSeconds, deviceOnlineSeconds }: Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>,
): Promise<void> {
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
    return { state, attempt, outcome: isRecalled ? RECALLED : OUTCOMES[state.state]?.(state) }
  })
  const reports = known.flatMap(({ attempt, outcome }) =>
    outcome ? [{ ...attempt, ...outcome }] : [],
  )
  const held = known.flatMap(({ attempt, outcome }) => (outcome ? [] : [attempt]))
  await renewLeases(store, device, held, phoneLease(leaseSeconds))
  await adaptToExpiredTexts(store, device, states, leaseSeconds)
  const progress = known.map(({ state, attempt, outcome }): Progress => {
    const has = state.state === 'Processed' ? 'processed' : 'waits'
    return { ...attempt, step: outcome ? 'over' : has }
  })
  const waiting = progress.filter(({ step }) => step === 'waits')
  const holds = await noteHeld(store, device, waiting, phoneLease(leaseSeconds))
  if (progress.some(({ step }, i) => step !== 'waits' && !isUnsent(known[i]!.state))) {
    await noteSending(store, device)
  }
  if (reports.length > 0) await applyReports(store, device, reports, deviceOnlineSeconds)
  await noteProgress(store, device, progress)
  if (waiting.length < progress.length) await wakeForMore(store, device)
  // its streams look whether it is to cancel a text
  if (holds) wakeDevices(store.db, [device.id])
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
