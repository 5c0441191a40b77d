import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { DatabaseUnavailable } from '../db/errors.ts'
import { groupsOf, makeGroups } from '../db/groups.ts'
import type { Db } from '../db/open.ts'
import { isAmong, isOwnedBy, number, run, statement, text, textsOf } from '../db/statement.ts'
import { RetryLater } from '../errors.ts'
import type { Logger } from '../log.ts'
import { changeLogCte } from '../records/record-sql.ts'
import { repeat, WakeSignal } from '../tools/repeat.ts'
import {
  type CallOutcome,
  callWebhook,
  type DueDelivery,
  END_REASONS,
  findDue,
  nextDelay,
  type OtherForms,
} from './call-webhook.ts'
import { CHANNEL, endExpiredLeases, endLease, IS_LEASED, type Lease, leaseDeliveries } from './lease.ts'

/** 410 Gone: the receiver wants no more calls. */
const GONE = 410

/** Records the outcomes of attempts, except where another attempt has recorded one. `also`: a further CTE. */
const recordAs = (name: string, also = '') => statement(name, { id: 'string' })`
with given as (
  select * from json_to_recordset(${text('outcomes')}::json) g(delivery text, "user" text, status text, before float8,
    attempts float8, code float8, text text, "latencyMs" float8, delay float8, headers json)
), written as (
  update webhook_deliveries d
  set status = g.status, attempts = g.attempts, response_status = g.code, response_body = g.text,
    latency_ms = g."latencyMs", updated = pb_text(now()),
    next_attempt_at = case when g.delay is null then '' else pb_text(now() + g.delay * interval '1 second') end
  from given g
  where d.id = g.delivery and ${isAmong('d.id', 'given', 'delivery')} and ${isOwnedBy('d', 'g."user"')}
    and d.status = 'pending' and d.attempts = g.before
  returning d.*
), sent as (
  update webhook_payloads p set headers = g.headers from given g
  where p.delivery = g.delivery and ${isAmong('p.delivery', 'written', 'id')} and g.headers is not null
), ${also}${changeLogCte('written', 'update', 'webhook_deliveries', 'noted', true)}
select id from written`
const RECORD = recordAs('webhook record')
const RECORD_OVER = recordAs(
  'webhook record end',
  `ended as (delete from webhook_dispatch d using written where d.delivery = written.id and ${isAmong('d.delivery', 'written', 'id')}), `,
)

async function record(db: Db, sql: typeof RECORD, outcomes: readonly Outcome[]): Promise<boolean[]> {
  const recorded = await run(db, sql, { outcomes: JSON.stringify(outcomes) })
  const ids = new Set(recorded.map(({ id }) => id))
  return outcomes.map(({ delivery }) => ids.has(delivery))
}

const ending = groupsOf<Outcome, boolean>((db) => ({
  keyOf: ({ delivery }) => delivery,
  isOnce: true,
  store: (outcomes) => record(db, RECORD_OVER, outcomes),
}))

/** Records an outcome unless another node did, and ends the lease. A 410 disables the webhook. */
export async function recordOutcome(
  store: Store,
  lease: Lease,
  due: DueDelivery,
  outcome: CallOutcome,
): Promise<void> {
  const attempts = due.attempts + 1
  const isGone = outcome.verdict === undefined && outcome.status === GONE
  const verdict = outcome.verdict ?? (outcome.status >= 200 && outcome.status < 300 ? 'delivered' : 'again')
  const isDelivered = verdict === 'delivered'
  const isOver = verdict !== 'again' || isGone || attempts >= due.maxAttempts
  const delay = isOver ? undefined : nextDelay(attempts, outcome.retryAfter)
  const status = isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending'
  const made = outcomeOf(due, status, attempts, outcome, delay)
  if (delay === undefined && !isGone) return end(store, lease, made)
  await store.db.transaction(async (db) => {
    const [isRecorded] = await record(db, delay === undefined ? RECORD_OVER : RECORD, [made])
    if (!isRecorded) return endLease(db, lease)
    if (delay !== undefined) await run(db, PUT_OFF, { ...lease, delay })
    if (!isGone) return
    await db.query(DISABLE, [due.webhook, due.user, 'webhooks'])
    await failPending(db, due.webhook, due.user, END_REASONS.gone)
  })
}

/** Postpones a delivery and ends our lease, but not a newer lease that another node took after ours. */
const PUT_OFF = statement('webhook put off', {})`
update webhook_dispatch set due_at = now() + ${number('delay')}::float8 * interval '1 second',
  handed_at = case when ${IS_LEASED} then null else handed_at end
where delivery = ${text('delivery')}`

const LOCK = 'select from webhook_deliveries where id = $1 for update'
const FORGET = 'delete from webhook_dispatch where delivery = $1'

/** Removes a finished or deleted delivery from the queue. If it is due again, only ends the lease. */
export async function endTurn({ db, catalog }: Store, lease: Lease): Promise<void> {
  await db.transaction(async (inside) => {
    await inside.query(LOCK, [lease.delivery], 'webhook lock')
    if ((await findDue({ db: inside, catalog }, [lease.delivery])).size > 0) await endLease(inside, lease)
    else await inside.query(FORGET, [lease.delivery], 'webhook forget')
  })
}

export async function failWithoutCall(store: Store, lease: Lease, due: DueDelivery, reason: string) {
  const outcome = { status: 0, text: reason, latencyMs: 0, retryAfter: 0 }
  await end(store, lease, outcomeOf(due, 'failed', due.attempts, outcome))
}

/** Records a final outcome. If somebody changed the delivery meanwhile, only ends the lease. */
async function end({ db }: Store, lease: Lease, outcome: Outcome) {
  if (!(await ending(db).add(outcome))) await endLease(db, lease)
}

type Outcome = ReturnType<typeof outcomeOf>

/** An outcome to store. `before`: attempts before this one; `delay`: seconds to the next, null for none. */
const outcomeOf = (
  { delivery, user, attempts: before }: DueDelivery,
  status: string,
  attempts: number,
  { status: code, text, latencyMs, headers }: CallOutcome,
  delay: number | null = null,
) => ({ delivery, user, status, before, attempts, code, text, latencyMs, delay, headers: headers ?? null })

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

/** Locks go in this order, against deadlocks: records of deliveries, then their queue rows, each by id. */
const LOCK_PENDING = `
select d.id from webhook_deliveries d where d.webhook = $1 and d."user" = $2 and d.status = 'pending' order by d.id for update`
const LOCK_DELIVERIES = `select from webhook_deliveries where id = any($1::text[]) order by id for update`

/** Ends all pending deliveries of a webhook as failed, even during a call. `db` must be a transaction. */
export async function failPending(db: Db, webhook: string, user: string, reason: string): Promise<void> {
  await endAll(db, textsOf(await db.query(LOCK_PENDING, [webhook, user])), reason)
}

/** Ends these deliveries as failed. `db` must be a transaction. */
export async function failDeliveries(db: Db, deliveries: readonly string[], reason: string): Promise<void> {
  await db.query(LOCK_DELIVERIES, [deliveries])
  await endAll(db, deliveries, reason)
}

async function endAll(db: Db, deliveries: readonly string[], reason: string) {
  if (deliveries.length > 0) await db.query(FAIL_DELIVERIES, [deliveries, reason, 'webhook_deliveries'])
}

export type WebhookSettings = Pick<Config, 'webhookAllowPrivate'>

/** Maximum concurrent calls of this node. Each holds a socket and a kilobyte, for 12 s at most. */
const MAX_CALLS = 400
/** How long running calls may go on when the server stops. Another node then repeats the aborted ones. */
const STOP_MS = 3_000
/** Polling interval while deliveries wait. New deliveries wake the worker earlier. */
const LOOK_MS = 1_000
/** Polling interval while no delivery waits, in case a notification was lost. */
const IDLE_MS = 5_000
/** Maximum tries to record an outcome. All pauses between them together are shorter than a lease. */
const MAX_TRIES = 10

/** Retries while the database is busy or unreachable: an unrecorded call would be made twice. */
async function persistently(work: () => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof RetryLater || error instanceof DatabaseUnavailable
      if (!isPassing || tries === MAX_TRIES) throw error
      await sleep(LOOK_MS)
    }
  }
}

/** Starts calling webhooks. Returns a function that stops it and waits up to STOP_MS for running calls. */
export async function startWebhooks(
  store: Store,
  settings: WebhookSettings,
  log: Logger,
  otherForms: OtherForms,
): Promise<() => Promise<void>> {
  const { db } = store
  const signal = new WakeSignal()
  const ending = new AbortController()
  const running = new Set<Promise<void>>()

  const finding = makeGroups<string, DueDelivery | null>({
    keyOf: (delivery) => delivery,
    async store(deliveries) {
      const found = await findDue(store, deliveries, otherForms.bodyForm)
      return deliveries.map((delivery) => found.get(delivery) ?? null)
    },
  })
  const call = async (lease: Lease) => {
    const due = await finding.add(lease.delivery)
    if (!due) return endTurn(store, lease)
    if (due.closed) return failWithoutCall(store, lease, due, due.closed)
    const calling = due.mail
      ? otherForms.mail(due, due.mail)
      : due.format === ''
        ? callWebhook(due, settings.webhookAllowPrivate, ending.signal)
        : otherForms.call(due, ending.signal)
    const outcome = await calling.catch((error: unknown) => {
      if (!ending.signal.aborted) throw error
    })
    if (outcome) await persistently(() => recordOutcome(store, lease, due, outcome))
    else await endLease(db, lease)
  }
  const begin = (lease: Lease) => {
    const run = call(lease)
      .catch((err) => log.error({ err, delivery: lease.delivery }, 'webhook delivery failed'))
      .finally(() => {
        running.delete(run)
        signal.notify()
      })
    running.add(run)
  }
  const fill = async () => {
    for (let room = MAX_CALLS - running.size; room > 0; room = MAX_CALLS - running.size) {
      const leases = await leaseDeliveries(db, room)
      leases.forEach(begin)
      if (leases.length < room) return
    }
  }

  const stopListening = await db.listen(CHANNEL, signal.notifier)
  let isWaiting = false
  let lookedMs = 0
  const round = async () => {
    // while deliveries wait, look for expired leases once per LOOK_MS at most: a look may take 30 ms
    if (!isWaiting || performance.now() - lookedMs >= LOOK_MS) {
      isWaiting = true // if the check fails
      isWaiting = await endExpiredLeases(db)
      lookedMs = performance.now()
    }
    if (isWaiting) await fill()
  }
  const rest = (ended: AbortSignal) => signal.wait(isWaiting ? LOOK_MS : IDLE_MS, ended)
  const stop = repeat(round, rest, log, 'could not read webhook deliveries, trying again')
  return async () => {
    await stop()
    await stopListening()
    const late = setTimeout(() => ending.abort(), STOP_MS)
    await Promise.all(running)
    clearTimeout(late)
  }
}
