import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { DatabaseUnavailable } from '../db/errors.ts'
import { groupsOf, makeGroups } from '../db/groups.ts'
import type { Db } from '../db/open.ts'
import { anyOf, inSeconds, NOW, queries } from '../db/queries.ts'
import { RetryLater } from '../errors.ts'
import type { Logger } from '../log.ts'
import { noteChanges } from '../records/record-sql.ts'
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
import { CHANNEL, endExpiredLeases, endLease, isLeased, type Lease, leaseDeliveries } from './lease.ts'

/** 410 Gone: the receiver wants no more calls. */
const GONE = 410

/** Records outcomes unless another attempt has. `isOver`: the deliveries are finished and leave the queue. */
async function record(db: Db, outcomes: readonly Outcome[], isOver: boolean): Promise<boolean[]> {
  const recorded = await queries(db)
    .selectNoFrom(sql<string>`webhook_record(${JSON.stringify(outcomes)}, ${isOver})`.as('id'))
    .execute()
  const ids = new Set(recorded.map(({ id }) => id))
  return outcomes.map(({ delivery }) => ids.has(delivery))
}

const ending = groupsOf<Outcome, boolean>((db) => ({
  keyOf: ({ delivery }) => delivery,
  isOnce: true,
  store: (outcomes) => record(db, outcomes, true),
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
    const [isRecorded] = await record(db, [made], delay === undefined)
    if (!isRecorded) return endLease(db, lease)
    if (delay !== undefined) await putOff(db, lease, delay)
    if (!isGone) return
    await disable(db, due)
    await failPending(db, due.webhook, due.user, END_REASONS.gone)
  })
}

/** Postpones a delivery and ends our lease, but not a newer lease that another node took after ours. */
const putOff = (db: Db, lease: Lease, delay: number) =>
  queries(db)
    .updateTable('webhook_dispatch')
    .set({
      due_at: inSeconds(delay),
      handed_at: sql`case when ${isLeased(lease)} then null else handed_at end`,
    })
    .where('delivery', '=', lease.delivery)
    .execute()

/** Removes a finished or deleted delivery from the queue. If it is due again, only ends the lease. */
export async function endTurn({ db, catalog }: Store, lease: Lease): Promise<void> {
  await db.transaction(async (inside) => {
    await queries(inside)
      .selectFrom('webhook_deliveries')
      .where('id', '=', lease.delivery)
      .forUpdate()
      .execute()
    if ((await findDue({ db: inside, catalog }, [lease.delivery])).size > 0) await endLease(inside, lease)
    else await queries(inside).deleteFrom('webhook_dispatch').where('delivery', '=', lease.delivery).execute()
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

const disable = (db: Db, { webhook, user }: DueDelivery) =>
  queries(db)
    .with('written', (query) =>
      query
        .updateTable('webhooks')
        .set({ enabled: false, updated: NOW })
        .where('id', '=', webhook)
        .where('user', '=', user)
        .where('enabled', '=', true)
        .returningAll(),
    )
    .with('noted', noteChanges('update', 'webhooks'))
    .selectFrom('written')
    .select('id')
    .execute()

/** Ends all pending deliveries of a webhook as failed, even during a call. `db` must be a transaction. */
export async function failPending(db: Db, webhook: string, user: string, reason: string): Promise<void> {
  const pending = await lockDeliveries(db)
    .where('webhook', '=', webhook)
    .where('user', '=', user)
    .where('status', '=', 'pending')
    .execute()
  const ids = pending.map(({ id }) => id)
  await endAll(db, ids, reason)
}

/** Ends these deliveries as failed. `db` must be a transaction. */
export async function failDeliveries(db: Db, deliveries: readonly string[], reason: string): Promise<void> {
  await lockDeliveries(db).where('id', '=', anyOf(deliveries)).execute()
  await endAll(db, deliveries, reason)
}

/** Against deadlocks, records of deliveries are locked before their queue rows, each in the order of ids. */
const lockDeliveries = (db: Db) =>
  queries(db).selectFrom('webhook_deliveries').select('id').orderBy('id').forUpdate()

async function endAll(db: Db, deliveries: readonly string[], reason: string): Promise<void> {
  if (deliveries.length === 0) return
  await queries(db)
    .with('waiting', (query) =>
      query.deleteFrom('webhook_dispatch').where('delivery', '=', anyOf(deliveries)).returning('delivery'),
    )
    .with('written', (query) =>
      query
        .updateTable('webhook_deliveries as d')
        .from('waiting as w')
        .set({ status: 'failed', response_status: 0, response_body: reason, latency_ms: 0 })
        .set({ next_attempt_at: '', updated: NOW })
        .whereRef('d.id', '=', 'w.delivery')
        .where('d.status', '=', 'pending')
        .returningAll('d'),
    )
    .with('noted', noteChanges('update', 'webhook_deliveries'))
    .selectFrom('written')
    .select('id')
    .execute()
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
