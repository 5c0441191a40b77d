import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { groupsOf } from '../../db/groups.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { isAmong, isHeldByDevice, unindexed } from '../../db/statement.ts'
import { counts } from '../../metrics/counts.ts'
import type { Device } from '../devices/device.ts'
import { lockUserSends } from '../send/accept.ts'
import { eventsCte, NEXT, STATUSES, type Status } from '../status.ts'
import { wakeDevices } from '../wake.ts'
import { withoutCodes } from './device-words.ts'
import { reassign } from './fail-or-reassign.ts'
import { endReturned } from './opt-out.ts'

/** A device's report on a message. `at`: milliseconds since 1970 by the device's clock. */
export interface Report {
  readonly id: string
  readonly attempt: number
  readonly status: 'sent' | 'delivered' | 'failed'
  readonly error_message?: string | undefined
  readonly at?: number | undefined
  /** The device is certain that it sent nothing: the message is reassigned. Only with `failed`. */
  readonly not_sent?: boolean | undefined
  /** The device and its SIM are not the cause of the failure: the message was canceled, or came too late. */
  readonly blameless?: boolean | undefined
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

/**
 * Applies devices' reports, one for each message. A report counts if it is of the current attempt, the status
 * is `sending` or `sent`, and the table of statuses ($2) allows the change. A report's time counts unless it
 * is before the message was accepted (or sent) or in the future. Locks queue rows, then messages, each by id.
 */
const APPLY = `
with given as (
  select * from json_to_recordset($1)
    g(number int, device text, "user" text, id text, attempt int, status text, at float8, reason text)
), queued as materialized (
  select d.message from given g join sms_dispatch d on d.message = g.id and ${isAmong('d.message', 'given', 'id')}
  where ${isHeldByDevice('d', 'g.device', 'g."user"')} order by d.message for update of d
), held as materialized (
  select m.id, m.status, m.line, greatest(m.created::text, m.sent_at::text) as since
  from given g join sms_messages m on m.id = g.id and ${isAmong('m.id', 'given', 'id')}
  where ${isHeldByDevice('m', 'g.device', 'g."user"')} and (select count(*) from queued) >= 0
  order by m.id for update of m
), freed as (
  delete from sms_dispatch d using given g
  where d.message = g.id and ${isAmong('d.message', 'queued')} and ${isHeldByDevice('d', 'g.device', 'g."user"')}
    and ${unindexed('d.state')} = 'sending' and d.attempt = g.attempt
  returning d.message
), applicable as (
  select m.id, g.status, g.attempt, g.reason, g.device, pb_text(
    case when to_timestamp(g.at / 1000) between m.since::timestamptz and now()
      then to_timestamp(g.at / 1000) else now() end) as at
  from given g join held m on m.id = g.id
  where m.status || ' ' || g.status = any($2)
    and (m.id in (select message from freed) or (m.status = 'sent' and exists (
      select from sms_events e where e.message = m.id and e.status = 'sent' and e.attempt = g.attempt)))
), changed as (
  update sms_messages m
  set status = a.status, error_message = a.reason, updated = pb_text(now()),
    sent_at = case when a.status = 'failed' or m.sent_at <> '' then m.sent_at else a.at end,
    delivered_at = case when a.status = 'delivered' then a.at else m.delivered_at end
  from applicable a
  where m.id = a.id and ${isAmong('m.id', 'applicable', 'id')}
  returning m.id, m."user", a.status, a.attempt, a.reason, a.device
), ${eventsCte('"user", id, status, device, attempt, reason', 'changed')}
select g.number, m.status, c.id is not null,
  case when c.id in (select message from freed) and (c.status = 'failed' or u.failures > 0) then m.line end
from given g
left join held m on m.id = g.id
left join changed c on c.id = g.id
left join line_use u on u.line = m.line
order by g.number`

/** For `reassign`: selects the message of an attempt that sent nothing, as the device reported. */
const NOT_SENT = {
  name: 'not sent',
  sql: `select message, "user", device, line, charged, state, pinned, position, attempt,
    trim('Not sent. ' || $6) as why
  from sms_dispatch
  where message = $2 and device = $3 and "user" = $4 and state = 'sending' and attempt = $5 for update`,
}

/** Locks queue rows by id. Run it before LOCK_MESSAGES: one order of locks avoids deadlocks. */
const LOCK_QUEUE = `select message, line from sms_dispatch d where message = any($1) and ${isHeldByDevice('d', '$2', '$3')} order by message for update`
const LOCK_MESSAGES = `select 1 from sms_messages m where id = any($1) and ${isHeldByDevice('m', '$2', '$3')} order by id for update`

const EDGES = (Object.keys(NEXT) as Status[]).flatMap((from) => NEXT[from].map((to) => `${from} ${to}`))

interface DeviceReports {
  readonly device: Device
  readonly reports: readonly Report[]
}

interface Applied {
  readonly results: ReportResult[]
  readonly outcomes: LineOutcome[]
}

const reporting = groupsOf<DeviceReports, Applied>((db) => ({
  keyOf: ({ device }) => device.id,
  isOnce: true,
  sizeOf: ({ reports }) => reports.length,
  store: (items) => applyTogether(db, items),
}))

/** Applies a device's reports in order. Returns a result for each. */
export async function applyReports(
  store: Store,
  device: Device,
  given: readonly Report[],
  deviceOnlineSeconds: number,
): Promise<ReportResult[]> {
  const reports = await withoutCodes(store.db, given)
  const apply = isPlain(store, reports) ? applyInGroup : applyLocked
  const { results, outcomes } = await apply(store, device, reports, deviceOnlineSeconds)
  for (const { result } of results) counts.reports[result]++
  await noteOutcomes(store.db, outcomes)
  return results
}

const isPlain = ({ db }: Store, reports: readonly Report[]) =>
  !db.inTransaction &&
  reports.every(({ not_sent }) => !not_sent) &&
  new Set(reports.map(({ id }) => id)).size === reports.length

async function applyInGroup(...[store, device, reports, seconds]: Parameters<typeof applyReports>) {
  const applied = await reporting(store.db).add({ device, reports })
  const early = reports.filter((report, i) => mayBeTooSoon(report, applied.results[i]!))
  if (early.length === 0) return applied
  const { results, outcomes } = await applyLocked(store, device, early, seconds)
  const later = new Map(early.map((report, i) => [report, results[i]!]))
  return {
    results: reports.map((report, i) => later.get(report) ?? applied.results[i]!),
    outcomes: [...applied.outcomes, ...outcomes],
  }
}

/** Locks the messages, then applies all reports or none, in a transaction. */
async function applyLocked(...[store, device, reports, seconds]: Parameters<typeof applyReports>) {
  const results: ReportResult[] = []
  const outcomes: LineOutcome[] = []
  const woken = new Set<string>()
  await store.db.transaction(async (db) => {
    // an opt-out locks the user's sends before queue rows: do so here, too
    if (reports.some(({ not_sent }) => not_sent)) await lockUserSends(db, device.user)
    const ids = reports.map(({ id }) => id)
    const values = [ids, device.id, device.user]
    const queued = (await db.query(LOCK_QUEUE, values)).rows
    const lines = new Map(queued.map(([id, line]) => [id, String(line)]))
    await db.query(LOCK_MESSAGES, values)
    for (const round of roundsOf(reports)) {
      const others: Numbered[] = []
      for (const [number, report] of round) {
        const next = report.not_sent ? await giveBack(db, device, report, seconds) : undefined
        if (next && !report.blameless) outcomes.push({ line: lines.get(report.id)!, hasSent: false })
        if (next === undefined) others.push([number, report])
        else results[number] = applied(report, next === '' ? 'failed' : 'assigned')
        if (next) woken.add(next)
      }
      const [done] = await applyTogether(db, [{ device, reports: others.map(([, report]) => report) }])
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
function roundsOf(reports: readonly Report[]): Numbered[][] {
  const rounds: Numbered[][] = []
  const seen = new Map<string, number>()
  reports.forEach((report, number) => {
    const round = seen.get(report.id) ?? 0
    seen.set(report.id, round + 1)
    rounds[round] = [...(rounds[round] ?? []), [number, report]]
  })
  return rounds
}

/** Reassigns an unsent message. Returns the new device; '' after an opt-out; undefined for an old report. */
async function giveBack(db: Db, device: Device, report: Report, deviceOnlineSeconds: number) {
  if (await endReturned(db, device, report)) return ''
  const params = [report.id, device.id, device.user, report.attempt, report.error_message ?? '']
  const [next] = await reassign(db, NOT_SENT, deviceOnlineSeconds, params)
  return next
}

async function applyTogether(db: Db, items: readonly DeviceReports[]): Promise<Applied[]> {
  const all = items.flatMap(({ device, reports }, item) =>
    reports.map((report) => ({ item, device, report })),
  )
  const given = all.map(({ device, report: { id, attempt, status, at, error_message } }, number) => ({
    number,
    device: device.id,
    user: device.user,
    id,
    attempt,
    status,
    at,
    reason: status === 'failed' ? error_message || NO_REASON : '',
  }))
  const { rows } = await db.query(APPLY, [JSON.stringify(given), EDGES], 'sms report')
  const done: Applied[] = items.map(() => ({ results: [], outcomes: [] }))
  for (const [number, old, isApplied, line] of rows as [number, Status | null, boolean, string | null][]) {
    const { item, report } = all[number]!
    const { results, outcomes } = done[item]!
    if (line && !report.blameless) outcomes.push({ line, hasSent: report.status !== 'failed' })
    const { id, attempt, status } = report
    if (isApplied) results.push(applied(report, status))
    else if (old) results.push({ id, attempt, result: 'unchanged', status: old })
    else results.push({ id, attempt, result: 'not_found' })
  }
  return done
}

function applied({ id, attempt }: Report, status: Status): ReportResult {
  return { id, attempt, result: 'applied', status }
}

interface LineOutcome {
  readonly line: string
  readonly hasSent: boolean
}

/** Counts failures of lines. After five in a row, other lines are preferred for an hour. */
async function noteOutcomes(db: Db, outcomes: readonly LineOutcome[]) {
  for (const [line, all] of Map.groupBy(outcomes, (outcome) => outcome.line)) {
    const failures = all.length - 1 - all.findLastIndex(({ hasSent }) => hasSent)
    const note = sql`sms_line_outcomes(${line}, ${failures < all.length}, ${failures}::int)`
    await queries(db).selectNoFrom(note.as('noted')).execute()
  }
}
