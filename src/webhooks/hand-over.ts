import type { Db } from '../db/open.ts'
import type { Queue } from './queue.ts'

/** Channel of NOTIFY, without content: there is something to do. New events say so by themselves. */
export const CHANNEL = 'pocketsms_webhooks'
/** SQL that says so at the commit. */
export const WAKE_SQL = `pg_notify('${CHANNEL}', '')`

/**
 * Tickets of one webhook at a time, over all nodes, hence calls: a slow receiver has its own deliveries wait, and not
 * those of others; and the queue stays as small as there are webhooks, however many deliveries wait.
 */
const MAX_TICKETS = 5

/**
 * The deliveries of each webhook that are due first. Two nodes that ask at once choose the same ones; the second waits
 * and gets none. Webhooks are found by steps through the index: one that waits for its time costs as much as 10,000.
 */
const TAKE = `
with recursive hooks as (
  (select webhook from webhook_dispatch where handed_at is null order by webhook limit 1)
  union all
  select (select d.webhook from webhook_dispatch d where d.handed_at is null and d.webhook > h.webhook
    order by d.webhook limit 1)
  from hooks h where h.webhook is not null
), due as (
  select d.delivery from hooks h cross join lateral (
    select n.delivery from webhook_dispatch n
    where n.webhook = h.webhook and n.handed_at is null and n.due_at <= now()
    order by n.due_at
    limit greatest(0, ${MAX_TICKETS} - (
      select count(*) from webhook_dispatch b where b.webhook = h.webhook and b.handed_at is not null))
  ) d
)
update webhook_dispatch set handed_at = now()
where delivery = any(array(select delivery from due)) and handed_at is null
returning delivery`

/** Gives a ticket to what is due; several nodes may do so at once. */
export function handOver(db: Db, queue: Queue): Promise<void> {
  return db.transaction(async (inside) => {
    const { rows } = await inside.query(TAKE, [], 'webhook hand over')
    await queue.add(
      inside,
      rows.map(([delivery]) => String(delivery)),
    )
  })
}

/** A ticket is used within seconds. One that was not is lost, or its node died. */
const LOST = `
update webhook_dispatch set handed_at = null where handed_at < now() - interval '2 minutes'`

/** Has deliveries whose ticket was lost get another one. One that has its ticket keeps it. */
export async function remind({ db }: { readonly db: Db }): Promise<void> {
  await db.query(LOST, [], 'webhook remind')
}
