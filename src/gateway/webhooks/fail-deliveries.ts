import { sql } from 'kysely'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, NOW, queries } from '../../platform/db/queries.ts'

/** Ends all pending deliveries of a webhook as failed, even during a call. `db` must be a transaction. */
export async function failPending(
  db: Db,
  webhook: string,
  user: string,
  reason: string,
): Promise<void> {
  const pending = await lockDeliveries(db)
    .where('webhook', '=', webhook)
    .where('user', '=', user)
    .where('status', '=', 'pending')
    .execute()
  const ids = pending.map(({ id }) => id)
  await endDeliveries(db, ids, reason)
}

/** Ends these deliveries as failed. `db` must be a transaction. */
export async function failDeliveries(
  db: Db,
  deliveries: readonly string[],
  reason: string,
): Promise<void> {
  await lockDeliveries(db).where('id', '=', matchAny(deliveries)).execute()
  await endDeliveries(db, deliveries, reason)
}

/** Against deadlocks, records of deliveries are locked before their queue rows, each in the order of ids. */
const lockDeliveries = (db: Db) =>
  queries(db).selectFrom('webhook_deliveries').select('id').orderBy('id').forUpdate()

async function endDeliveries(db: Db, deliveries: readonly string[], reason: string): Promise<void> {
  if (deliveries.length === 0) return
  await executeStatement(
    db,
    sql`with waiting as (
      delete from webhook_dispatch where delivery = ${matchAny(deliveries)} returning delivery
    ), written as (
      update webhook_deliveries d set status = 'failed', response_status = 0, response_body = ${reason},
        latency_ms = 0, next_attempt_at = '', updated = ${NOW}
      from waiting w where d.id = w.delivery and d.status = 'pending' returning d.*
    ), noted as ${logQuery('update', 'webhook_deliveries')}
    select from written`,
  )
}
