import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { DEVICE_PACE_MS, makeDatabaseGroups } from '../../../platform/db/group-commits.ts'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import type { Device } from '../../base/device-record.ts'
import { lockUserSends } from '../../base/lock-user-sends.ts'
import { NEXT } from '../../base/message-status.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import {
  type Applied,
  applyReportGroup,
  countLineOutcomes,
  type DeviceReports,
  type LineOutcome,
  makeAppliedResult,
  type Report,
  type ReportResult,
} from './apply-report-groups.ts'
import { cancelIfRefused, reassignMessages } from './reassign-messages.ts'
import { redactCodes } from './redact-codes.ts'

/** Locks the queue rows of a device's messages by id, then the messages. One order avoids deadlocks. */
async function lockMessages(db: Db, { id: device, user }: Device, ids: readonly string[]) {
  const queued = await queries(db)
    .selectFrom('sms_dispatch')
    .select(['message', 'line'])
    .where('message', '=', matchAny(ids))
    .where(writeUnindexed('device'), '=', device)
    .where(writeUnindexed('user'), '=', user)
    .orderBy('message')
    .forUpdate()
    .execute()
  await queries(db)
    .selectFrom('sms_messages')
    .where('id', '=', matchAny(ids))
    .where(writeUnindexed('device'), '=', device)
    .where(writeUnindexed('user'), '=', user)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(queued.map(({ message, line }) => [message, line]))
}

const reporting = makeDatabaseGroups<DeviceReports, Applied>((db) => ({
  keyOf: ({ device }) => device.id,
  isOnce: true,
  paceMs: DEVICE_PACE_MS,
  sizeOf: ({ reports }) => reports.length,
  store: (items) => applyReportGroup(db, items),
}))

/** Applies a device's reports together with those of other requests. */
export type ReportGroup = (item: DeviceReports) => Promise<Pick<Applied, 'results' | 'outcomes'>>

/** Applies a device's reports in order. Returns a result for each. `group` is used for a plain batch. */
export async function applyReports(
  store: Store,
  device: Device,
  given: readonly Report[],
  deviceOnlineSeconds: number,
  group: ReportGroup = (item) => reporting(store.db).add(item),
): Promise<ReportResult[]> {
  const reports = await redactCodes(store.db, given)
  const apply = isPlainBatch(store, reports) ? applyInGroup : applyLockedReports
  const { results, outcomes } = await apply(store, device, reports, deviceOnlineSeconds, group)
  for (const { result } of results) counts.reports[result]++
  await countLineOutcomes(store.db, outcomes)
  return results
}

/** Whether one statement can apply these reports, with those of other requests. */
export const isPlainBatch = ({ db }: Store, reports: readonly Report[]) =>
  !db.inTransaction &&
  reports.every(({ not_sent }) => !not_sent) &&
  new Set(reports.map(({ id }) => id)).size === reports.length

async function applyInGroup(
  ...[store, device, reports, seconds, group]: Required<Parameters<typeof applyReports>>
) {
  const applied = await group({ device, reports })
  const early = reports.filter((report, i) => mayBeTooSoon(report, applied.results[i]!))
  if (early.length === 0) return applied
  const { results, outcomes } = await applyLockedReports(store, device, early, seconds)
  const later = new Map(early.map((report, i) => [report, results[i]!]))
  return {
    results: reports.map((report, i) => later.get(report) ?? applied.results[i]!),
    outcomes: [...applied.outcomes, ...outcomes],
  }
}

/** Locks the messages, then applies all reports or none, in a transaction. */
async function applyLockedReports(
  ...[store, device, reports, seconds]: Parameters<typeof applyReports>
) {
  const results: ReportResult[] = []
  const outcomes: LineOutcome[] = []
  const woken = new Set<string>()
  await store.db.transaction(async (db) => {
    // an opt-out locks the user's sends before queue rows: do so here, too
    if (reports.some(({ not_sent }) => not_sent)) await lockUserSends(db, device.user)
    const ids = reports.map(({ id }) => id)
    const lines = await lockMessages(db, device, ids)
    for (const round of splitIntoRounds(reports)) {
      const others: Numbered[] = []
      for (const [number, report] of round) {
        const next = report.not_sent
          ? await returnReportedMessage(db, device, report, seconds)
          : undefined
        if (next && !report.blameless)
          outcomes.push({ line: lines.get(report.id)!, hasSent: false })
        if (next === undefined) others.push([number, report])
        else results[number] = makeAppliedResult(report, next === '' ? 'failed' : 'assigned')
        if (next) woken.add(next)
      }
      const [done] = await applyReportGroup(db, [
        { device, reports: others.map(([, report]) => report) },
      ])
      others.forEach(([number], i) => {
        results[number] = done!.results[i]!
      })
      outcomes.push(...done!.outcomes)
    }
  })
  wakeDevices(store.db, [...woken])
  return { results, outcomes }
}

/** Whether a report changed nothing, but the status allows it: it is then applied again, with locks. */
const mayBeTooSoon = (report: Report, { result, status }: ReportResult) =>
  result === 'unchanged' && status !== undefined && NEXT[status].includes(report.status)

type Numbered = readonly [number: number, report: Report]

/** Splits reports into rounds with at most one report for each message. Later reports are in later rounds. */
function splitIntoRounds(reports: readonly Report[]): Numbered[][] {
  const rounds: Numbered[][] = []
  const seen = new Map<string, number>()
  reports.forEach((report, number) => {
    const round = seen.get(report.id) ?? 0
    seen.set(report.id, round + 1)
    rounds[round] = [...(rounds[round] ?? []), [number, report]]
  })
  return rounds
}

/** Reassigns an unsent message. Returns the new device; '' if it ended; undefined for an old report. */
async function returnReportedMessage(
  db: Db,
  device: Device,
  report: Report,
  onlineSeconds: number,
) {
  const returned = queries(db)
    .selectFrom('sms_dispatch')
    .select('message')
    .where('message', '=', report.id)
    .where('device', '=', device.id)
    .where('user', '=', device.user)
    .where('state', '=', sql.lit('sending'))
    .where('attempt', '=', report.attempt)
    .forUpdate()
  if ((await cancelIfRefused(db, returned, true)).length > 0) return ''
  const why = `Not sent. ${report.error_message ?? ''}`.trim()
  const [next] = await reassignMessages(db, returned, why, onlineSeconds)
  return next
}
