import type { Db } from '../db/open.ts'
import { NEXT_DELIVERIES } from './next-deliveries.ts'
import type { Queue } from './queue.ts'

/** Channel of NOTIFY, without content: there is something to do. New events say so by themselves. */
export const CHANNEL = 'pocketsms_webhooks'
/** SQL that says so at the commit. */
export const WAKE_SQL = `pg_notify('${CHANNEL}', '')`

/**
 * Any number that no other program takes: nodes choose one after the other, so that limits hold over all of
 * them.
 */
const TURNS_LOCK = 7_367_006

/**
 * Gives tickets to what is due, at most `room`: as many as this node could use at once. So the queue stays
 * small however much is due, and whose turn it is is decided when there is a place to take it.
 */
export function handOver(db: Db, queue: Queue, room: number): Promise<void> {
  return db.transaction(async (inside) => {
    await inside.query('select pg_advisory_xact_lock($1)', [TURNS_LOCK], 'webhook turns lock')
    const { rows } = await inside.query(NEXT_DELIVERIES, [room], 'webhook turns')
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
