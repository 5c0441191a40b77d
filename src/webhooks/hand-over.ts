import type { Db } from '../db/open.ts'
import type { Queue } from './queue.ts'

/** Channel of NOTIFY, without content: there is something in the outbox. New events say so by themselves. */
export const CHANNEL = 'pocketsms_webhooks'
/** SQL that says so at the commit. */
export const WAKE_SQL = `pg_notify('${CHANNEL}', '')`

/** Rows a transaction moves. */
const CHUNK = 500

const TAKE = `
delete from webhook_outbox where position = any(array(
  select position from webhook_outbox order by position limit ${CHUNK} for update skip locked
)) returning delivery, webhook, hurry`

/** Moves all that the outbox holds into the queue; several nodes may do so at once. */
export async function handOver(db: Db, queue: Queue): Promise<void> {
  while ((await handOverSome(db, queue)) === CHUNK);
}

function handOverSome(db: Db, queue: Queue): Promise<number> {
  return db.transaction(async (inside) => {
    const { rows } = await inside.query(TAKE, [], 'webhook hand over')
    const turns = rows.map(([delivery, webhook]) => ({
      delivery: String(delivery),
      webhook: String(webhook),
    }))
    await queue.add(inside, turns)
    for (const [delivery, , hurry] of rows) if (hurry) await queue.hurry(inside, String(delivery))
    return rows.length
  })
}

/** What should have been tried so long ago has no ticket any more, or waits behind others. */
const OVERDUE_SECONDS = 120

/**
 * Puts deliveries back into the outbox that are long overdue, at most 500: whatever happened to the queue, the record
 * says that they wait. One that has its ticket keeps it.
 */
export async function remind({ db }: { readonly db: Db }): Promise<void> {
  await db.query(
    `insert into webhook_outbox (delivery, webhook, "user")
     select d.id, d.webhook, d."user" from webhook_deliveries d
     where d.status = 'pending' and d.next_attempt_at < pb_text(now() - interval '${OVERDUE_SECONDS} seconds')
       and not exists (select from webhook_outbox o where o.delivery = d.id)
     order by d.next_attempt_at limit ${CHUNK}`,
    [],
    'webhook remind',
  )
}
