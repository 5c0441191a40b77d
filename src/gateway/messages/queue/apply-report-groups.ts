import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { callFunction, executeStatement } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Device } from '../../base/device-record.ts'
import { STATUSES, type Status } from '../../base/message-status.ts'

/** A device's report on a message. `at`: milliseconds since 1970 by the device's clock. */
export interface Report {
  readonly id: string
  readonly attempt: number
  readonly status: 'sent' | 'delivered' | 'failed'
  readonly error_message?: string | undefined
  readonly at?: number | undefined
  /** The device is certain that it sent nothing: the message is reassigned. Only with `failed`. */
  readonly not_sent?: boolean | undefined
  /**
   * The device and its SIM are not the cause of the failure: the message was canceled, or was fetched too
   * late.
   */
  readonly blameless?: boolean | undefined
  /** Absent for SMS and MMS. Only with `delivered`. */
  readonly channel?: 'rcs' | undefined
}

export type ReportResult = Readonly<z.output<typeof REPORT_RESULT>>
export const REPORT_RESULT = z
  .object({
    id: z.string(),
    attempt: z.int(),
    result: z
      .enum(['applied', 'unchanged', 'not_found'])
      .describe(
        '`applied`: the message is now as reported. `unchanged`: late, repeated or of an old attempt. `not_found`: not a message of this device.',
      ),
    status: z.enum(STATUSES).optional().describe('Where the message is.'),
  })
  .meta({ id: 'ReportResult' })

const NO_REASON = 'The device could not send the message'

function writeReason({ status, error_message, channel }: Report): string {
  if (status === 'failed') return error_message || NO_REASON
  return status === 'delivered' && channel === 'rcs' ? 'By RCS' : ''
}

export interface DeviceReports {
  readonly device: Device
  readonly reports: readonly Report[]
}

export interface Applied {
  readonly results: ReportResult[]
  readonly outcomes: LineOutcome[]
  /** The status of each message before its report; null if the device has no such message. */
  readonly before: (Status | null)[]
}

/** A row of sms_report. */
export interface ReportedRow {
  readonly number: number
  readonly status: Status | null
  readonly is_applied: boolean
  readonly line: string | null
}

const writeReport = (reports: string) =>
  sql<ReportedRow>`select * from sms_report(${reports}::json)`

/**
 * Applies reports by one statement. `write` makes it of the argument of sms_report; it may store more, and
 * returns the rows of sms_report.
 */
export async function applyReportGroup(
  db: Db,
  items: readonly DeviceReports[],
  write: (reports: string) => RawBuilder<ReportedRow> = writeReport,
): Promise<Applied[]> {
  const all = items.flatMap(({ device, reports }, item) =>
    reports.map((report) => ({ item, device, report })),
  )
  const given = all.map(({ device, report }, number) => ({
    number,
    device: device.id,
    user: device.user,
    id: report.id,
    attempt: report.attempt,
    status: report.status,
    at: report.at,
    reason: writeReason(report),
  }))
  const rows = await executeStatement(db, write(JSON.stringify(given)))
  const done: Applied[] = items.map(() => ({ results: [], outcomes: [], before: [] }))
  for (const { number, status: old, is_applied: isApplied, line } of rows) {
    const { item, report } = all[number]!
    const { results, outcomes, before } = done[item]!
    before.push(old)
    if (line && !report.blameless) outcomes.push({ line, hasSent: report.status !== 'failed' })
    const { id, attempt, status } = report
    if (isApplied) results.push(makeAppliedResult(report, status))
    else if (old) results.push({ id, attempt, result: 'unchanged', status: old })
    else results.push({ id, attempt, result: 'not_found' })
  }
  return done
}

export function makeAppliedResult({ id, attempt }: Report, status: Status): ReportResult {
  return { id, attempt, result: 'applied', status }
}

export interface LineOutcome {
  readonly line: string
  readonly hasSent: boolean
}

/** Counts failures of lines. After five in a row, other lines are preferred for an hour. */
export async function countLineOutcomes(db: Db, outcomes: readonly LineOutcome[]) {
  for (const [line, all] of Map.groupBy(outcomes, (outcome) => outcome.line)) {
    const failures = all.length - 1 - all.findLastIndex(({ hasSent }) => hasSent)
    await callFunction(db, 'sms_line_outcomes', line, failures < all.length, failures)
  }
}
