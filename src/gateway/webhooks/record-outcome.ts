import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { logChanges } from '../../engine/records/log-changes.ts'
import { callFunctionRows } from '../../platform/db/call-function.ts'
import { makeDatabaseGroups } from '../../platform/db/group-commits.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { CallOutcome } from './call-webhook.ts'
import { computeNextDelay } from './compute-retry-delay.ts'
import { failPending } from './fail-deliveries.ts'
import { type DeliveryLease, endLease, isLeased } from './lease-deliveries.ts'
import { type DueDelivery, END_REASONS, findDueDeliveries } from './load-delivery.ts'

/** 410 Gone: the receiver wants no more calls. */
const GONE = 410

/** Records outcomes unless another attempt has. `isOver`: the deliveries are finished and leave the queue. */
async function storeOutcomes(
  db: Db,
  outcomes: readonly Outcome[],
  isOver: boolean,
): Promise<boolean[]> {
  const recorded = await callFunctionRows(db, 'webhook_record', JSON.stringify(outcomes), isOver)
  const ids = new Set(recorded.map(({ webhook_record: id }) => id))
  return outcomes.map(({ delivery }) => ids.has(delivery))
}

export const ending = makeDatabaseGroups<Outcome, boolean>((db) => ({
  keyOf: ({ delivery }) => delivery,
  isOnce: true,
  store: (outcomes) => storeOutcomes(db, outcomes, true),
}))

/** Records an outcome unless another node did, and ends the lease. A 410 disables the webhook. */
export async function recordOutcome(
  store: Store,
  lease: DeliveryLease,
  due: DueDelivery,
  outcome: CallOutcome,
): Promise<void> {
  const attempts = due.attempts + 1
  const isGone = outcome.verdict === undefined && outcome.status === GONE
  const verdict =
    outcome.verdict ?? (outcome.status >= 200 && outcome.status < 300 ? 'delivered' : 'again')
  const isDelivered = verdict === 'delivered'
  const isOver = verdict !== 'again' || isGone || attempts >= due.maxAttempts
  const delay = isOver ? undefined : computeNextDelay(attempts, outcome.retryAfter)
  const status = isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending'
  const made = makeStoredOutcome(due, status, attempts, outcome, delay)
  if (delay === undefined && !isGone) return endDelivery(store, lease, made)
  await store.db.transaction(async (db) => {
    const [isRecorded] = await storeOutcomes(db, [made], delay === undefined)
    if (!isRecorded) return endLease(db, lease)
    if (delay !== undefined) await putOff(db, lease, delay)
    if (!isGone) return
    await disableWebhook(db, due)
    await failPending(db, due.webhook, due.user, END_REASONS.gone)
  })
}

/** Postpones a delivery and ends our lease, but not a newer lease that another node took after ours. */
const putOff = (db: Db, lease: DeliveryLease, delay: number) =>
  queries(db)
    .updateTable('webhook_dispatch')
    .set({
      due_at: writeTimeInSeconds(delay),
      handed_at: sql`case when ${isLeased(lease)} then null else handed_at end`,
    })
    .where('delivery', '=', lease.delivery)
    .execute()

/** Removes a finished or deleted delivery from the queue. If it is due again, only ends the lease. */
export async function endDeliveryTurn({ db, catalog }: Store, lease: DeliveryLease): Promise<void> {
  await db.transaction(async (inside) => {
    await queries(inside)
      .selectFrom('webhook_deliveries')
      .where('id', '=', lease.delivery)
      .forUpdate()
      .execute()
    if ((await findDueDeliveries({ db: inside, catalog }, [lease.delivery])).size > 0)
      await endLease(inside, lease)
    else
      await queries(inside)
        .deleteFrom('webhook_dispatch')
        .where('delivery', '=', lease.delivery)
        .execute()
  })
}

export async function failWithoutCall(
  store: Store,
  lease: DeliveryLease,
  due: DueDelivery,
  reason: string,
) {
  const outcome = { status: 0, text: reason, latencyMs: 0, retryAfter: 0 }
  await endDelivery(store, lease, makeStoredOutcome(due, 'failed', due.attempts, outcome))
}

/** Records a final outcome. If the delivery was changed meanwhile, only ends the lease. */
async function endDelivery({ db }: Store, lease: DeliveryLease, outcome: Outcome) {
  if (!(await ending(db).add(outcome))) await endLease(db, lease)
}

type Outcome = ReturnType<typeof makeStoredOutcome>

/** An outcome to store. `before`: attempts before this one; `delay`: seconds to the next, null for none. */
const makeStoredOutcome = (
  { delivery, user, attempts: before }: DueDelivery,
  status: string,
  attempts: number,
  { status: code, text, latencyMs, headers }: CallOutcome,
  delay: number | null = null,
) => ({
  delivery,
  user,
  status,
  before,
  attempts,
  code,
  text,
  latencyMs,
  delay,
  headers: headers ?? null,
})

const disableWebhook = (db: Db, { webhook, user }: DueDelivery) =>
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
    .with('noted', logChanges('update', 'webhooks'))
    .selectFrom('written')
    .select('id')
    .execute()
