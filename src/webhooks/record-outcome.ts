import type { Store } from '../collections/catalog.ts'
import { unindexed } from '../db/by-id.ts'
import type { Db } from '../db/open.ts'
import { textsOf } from '../db/rows.ts'
import {
  number,
  numberOrNull,
  run,
  runForCount,
  statement,
  text,
  textOrNull,
} from '../db/statements/statement.ts'
import { changeLogCte } from '../records/changes.ts'
import type { CallOutcome } from './call-webhook.ts'
import { type DueDelivery, END_REASONS, findDue } from './due.ts'
import { endLease, IS_LEASED, type Lease } from './lease.ts'
import { nextDelay } from './schedule.ts'

/** 410 Gone: the receiver wants no more calls. */
const GONE = 410

const [DELAY, HEADERS] = [numberOrNull('delay'), textOrNull('headers')]

/** Records an outcome unless another attempt has recorded one. `also`: a CTE. */
const recordAs = (name: string, also = '') => statement(name, {})`
with written as (
  update webhook_deliveries
  set status = ${text('status')}, attempts = ${number('attempts')}, response_status = ${number('code')},
    response_body = ${text('text')}, latency_ms = ${number('latencyMs')}, updated = pb_text(now()), next_attempt_at =
      case when ${DELAY}::float8 is null then '' else pb_text(now() + ${DELAY}::float8 * interval '1 second') end
  where id = ${text('delivery')} and ${unindexed('"user"')} = ${text('user')} and status = 'pending'
    and attempts = ${number('before')}
  returning *
), sent as (
  update webhook_payloads p set headers = ${HEADERS}::json from written
  where p.delivery = written.id and ${HEADERS}::json is not null
), ${also}${changeLogCte('written', 'update', 'webhook_deliveries', 'noted', true)}
select id from written`
const RECORD = recordAs('webhook record')
/** Records the outcome of a delivery's last attempt and deletes its queue row. */
const RECORD_OVER = recordAs(
  'webhook record end',
  'ended as (delete from webhook_dispatch d using written where d.delivery = written.id), ',
)

/**
 * Records an outcome and ends the lease; 410 disables the webhook. Does nothing if another node has recorded
 * one.
 */
export async function recordOutcome(store: Store, lease: Lease, due: DueDelivery, outcome: CallOutcome) {
  const attempts = due.attempts + 1
  const isGone = outcome.verdict === undefined && outcome.status === GONE
  const verdict = outcome.verdict ?? verdictOf(outcome.status)
  const isDelivered = verdict === 'delivered'
  const isOver = isDelivered || isGone || verdict === 'failed' || attempts >= due.maxAttempts
  const delay = isOver ? undefined : nextDelay(attempts, outcome.retryAfter)
  const status = isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending'
  if (delay === undefined && !isGone) {
    const isRecorded = await record(store.db, due, status, attempts, outcome, null, true)
    return isRecorded ? undefined : endLease(store.db, lease)
  }
  await store.db.transaction(async (db) => {
    const isRecorded = await record(db, due, status, attempts, outcome, delay ?? null, delay === undefined)
    if (!isRecorded) return endLease(db, lease)
    if (delay !== undefined) await run(db, PUT_OFF, { ...lease, delay })
    if (!isGone) return
    await db.query(DISABLE, [due.webhook, due.user, 'webhooks'])
    await failPending(db, due.webhook, due.user, END_REASONS.gone)
  })
}

const verdictOf = (status: number) => (status >= 200 && status < 300 ? 'delivered' : 'again')

/** Postpones a delivery. Keeps the lease of another node that took it after ours expired. */
const PUT_OFF = statement('webhook put off', {})`
update webhook_dispatch set due_at = now() + ${number('delay')}::float8 * interval '1 second',
  handed_at = case when ${IS_LEASED} then null else handed_at end
where delivery = ${text('delivery')}`

const forget = (db: Db, { delivery }: Lease) =>
  db.query('delete from webhook_dispatch where delivery = $1', [delivery], 'webhook forget')

const LOCK = 'select from webhook_deliveries where id = $1 for update'

/** Ends the turn of a finished or deleted delivery, unless it was sent again meanwhile. */
export async function endTurn({ db, catalog }: Store, lease: Lease): Promise<void> {
  await db.transaction(async (inside) => {
    await inside.query(LOCK, [lease.delivery], 'webhook lock')
    if (await findDue({ db: inside, catalog }, lease.delivery)) await endLease(inside, lease)
    else await forget(inside, lease)
  })
}

export async function failWithoutCall(store: Store, lease: Lease, due: DueDelivery, reason: string) {
  const outcome = { status: 0, text: reason, latencyMs: 0, retryAfter: 0 }
  const isRecorded = await record(store.db, due, 'failed', due.attempts, outcome, null, true)
  if (!isRecorded) await endLease(store.db, lease)
}

/** False if the delivery changed meanwhile: another attempt was recorded, or a user ended or resent it. */
async function record(
  db: Db,
  due: DueDelivery,
  status: string,
  attempts: number,
  outcome: CallOutcome,
  delay: number | null,
  isOver: boolean,
): Promise<boolean> {
  const { status: code, text, latencyMs } = outcome
  const { delivery, user, attempts: before } = due
  const headers = outcome.headers === undefined ? null : JSON.stringify(outcome.headers)
  const values = { delivery, user, status, attempts, code, text, latencyMs, delay, before, headers }
  return (await runForCount(db, isOver ? RECORD_OVER : RECORD, values)) > 0
}

const DISABLE = `
with written as (
  update webhooks set enabled = false, updated = pb_text(now())
  where id = $1 and "user" = $2 and enabled returning *
), ${changeLogCte('written', 'update', 3, 'noted', true)}
select id from written`

const FAIL_DELIVERIES = `
with waiting as (
  delete from webhook_dispatch where delivery = any($1::text[]) returning delivery
), written as (
  update webhook_deliveries d
  set status = 'failed', response_status = 0, response_body = $2, latency_ms = 0, next_attempt_at = '',
    updated = pb_text(now())
  from waiting w where d.id = w.delivery and d.status = 'pending' returning d.*
), ${changeLogCte('written', 'update', 3, 'noted', true)}
select id from written`

/** Lock order: records of deliveries, then their rows of the queue, each by id. */
const LOCK_PENDING = `
select d.id from webhook_deliveries d where d.webhook = $1 and d."user" = $2 and d.status = 'pending' order by d.id for update`
const LOCK_DELIVERIES = `select from webhook_deliveries where id = any($1::text[]) order by id for update`

/** Ends all pending deliveries of a webhook, those with a call under way too. In a transaction. */
export async function failPending(db: Db, webhook: string, user: string, reason: string): Promise<void> {
  await endAll(db, textsOf(await db.query(LOCK_PENDING, [webhook, user])), reason)
}

/** Ends these deliveries as failed. In a transaction. */
export async function failDeliveries(db: Db, deliveries: readonly string[], reason: string): Promise<void> {
  await db.query(LOCK_DELIVERIES, [deliveries])
  await endAll(db, deliveries, reason)
}

async function endAll(db: Db, deliveries: readonly string[], reason: string): Promise<void> {
  if (deliveries.length > 0) await db.query(FAIL_DELIVERIES, [deliveries, reason, 'webhook_deliveries'])
}
