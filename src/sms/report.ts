import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { TOLD, tellSql } from './changed.ts'
import type { Device } from './device.ts'
import { reassign } from './reassign.ts'
import { type Status, statusesBefore } from './status.ts'
import { wakeDevices } from './wake.ts'

/** What a device says became of a message. `at`: milliseconds since 1970 by its own clock. */
export interface Report {
  readonly id: string
  readonly attempt: number
  readonly status: 'sent' | 'delivered' | 'failed'
  readonly error_message?: string | undefined
  readonly at?: number | undefined
  /** Proof that nothing went out: the message is assigned anew. Only with `failed`. */
  readonly not_sent?: boolean | undefined
}

/**
 * `applied`: the message is now as reported. `unchanged`: late, repeated or of an old attempt. `not_found`: not a
 * message of this device. `status`: where the message is.
 */
export interface ReportResult {
  readonly id: string
  readonly attempt: number
  readonly result: 'applied' | 'unchanged' | 'not_found'
  readonly status?: Status
}

/** A user always reads why. */
const NO_REASON = 'The device could not send the message'

/** Rows are locked in one order, the queue before the messages, as in every statement that takes both. */
const LOCK = `select message from sms_dispatch
  where message = any($1) and device = $2 and "user" = $3 order by message for update`

/**
 * The one statement that ends an attempt. Only the current attempt of a message in `sending`, or the attempt that
 * made it `sent`, gets through, and only forward ($6: the statuses from which $5 is reached). A device's clock may
 * be anywhere: its instant counts if it lies between acceptance and now.
 */
const APPLY = `
with freed as (
  delete from sms_dispatch
  where message = $1 and device = $2 and "user" = $3 and state = 'sending' and attempt = $4
  returning message
), instant as (
  select pb_text(case when to_timestamp($7::float8 / 1000) between m.created::timestamptz and now()
    then to_timestamp($7::float8 / 1000) else now() end) as at
  from sms_messages m where m.id = $1
), changed as (
  update sms_messages m
  set status = $5, error_message = $8, updated = pb_text(now()),
    sent_at = case when $5 = 'failed' or m.sent_at <> '' then m.sent_at else instant.at end,
    delivered_at = case when $5 = 'delivered' then instant.at else m.delivered_at end
  from instant
  where m.id = $1 and m.device = $2 and m."user" = $3 and m.status = any($6)
    and (exists (select from freed) or (m.status = 'sent' and exists (
      select from sms_events e where e.message = m.id and e.status = 'sent' and e.attempt = $4)))
  returning m.id
), events as (
  insert into sms_events (id, "user", message, status, device, attempt, detail, created)
  select pb_new_id(), $3, id, $5, $2, $4, $8, pb_text(now()) from changed returning id
), ${tellSql(9)}
select m.status, exists (select from changed) from sms_messages m
where m.id = $1 and m.device = $2 and m."user" = $3`

/** The message of an attempt that provably sent nothing, for `reassign`. */
const NOT_SENT = `select message, "user", device, state, pinned, position, attempt,
    trim('Not sent. ' || $8) as why
  from sms_dispatch
  where message = $4 and device = $5 and "user" = $6 and state = 'sending' and attempt = $7 for update`

/**
 * Takes a device's reports, in their order, all in one transaction. Answers one result for each. What does not
 * apply changes nothing and is no error: the device may forget it.
 */
export async function applyReports(
  store: Store,
  device: Device,
  reports: readonly Report[],
  deviceOnlineSeconds: number,
): Promise<ReportResult[]> {
  const woken = new Set<string>()
  const results = await store.db.transaction(async (db) => {
    await db.query(LOCK, [reports.map(({ id }) => id), device.id, device.user])
    const results: ReportResult[] = []
    for (const report of reports) {
      const next = report.not_sent ? await giveBack(db, device, report, deviceOnlineSeconds) : undefined
      if (next) woken.add(next)
      results.push(next ? applied(report, 'assigned') : await apply(db, device, report))
    }
    return results
  })
  wakeDevices([...woken])
  return results
}

/** Assigns the message anew; the device that has it now, or undefined when the report is not of its current attempt. */
async function giveBack(db: Db, device: Device, report: Report, deviceOnlineSeconds: number) {
  const params = [report.id, device.id, device.user, report.attempt, report.error_message ?? '']
  const [next] = await reassign(db, NOT_SENT, deviceOnlineSeconds, params)
  return next
}

async function apply(db: Db, device: Device, report: Report): Promise<ReportResult> {
  const { id, attempt, status, at, error_message } = report
  const reason = status === 'failed' ? error_message || NO_REASON : ''
  const before = statusesBefore(status)
  const { rows } = await db.query(APPLY, [
    id,
    device.id,
    device.user,
    attempt,
    status,
    before,
    at ?? null,
    reason,
    ...TOLD,
  ])
  if (!rows[0]) return { id, attempt, result: 'not_found' }
  const [old, isApplied] = rows[0]
  return isApplied ? applied(report, status) : { id, attempt, result: 'unchanged', status: old as Status }
}

const applied = ({ id, attempt }: Report, status: Status): ReportResult => ({
  id,
  attempt,
  result: 'applied',
  status,
})
