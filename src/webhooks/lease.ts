import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { NEXT_DELIVERIES } from './next-deliveries.ts'

/** Channel of NOTIFY, without content: there is something to do. New events say so by themselves. */
export const CHANNEL = 'pocketsms_webhooks'
/** SQL that says so at the commit. */
export const WAKE_SQL = `pg_notify('${CHANNEL}', '')`

/** The right of a node to make one attempt of a delivery. */
export interface Lease {
  readonly delivery: string
  /** When it was taken, in seconds: it tells the lease from those before and after it. */
  readonly since: string
}

/** A lease that was not ended within 30 s, longer than any attempt takes, is one of a node that died. */
const END_EXPIRED = `
with expired as (
  update webhook_dispatch set handed_at = null where delivery = any(array(
    select delivery from webhook_dispatch where handed_at < now() - interval '30 seconds' for update skip locked
  ))
)
select exists (select from webhook_dispatch)`

/** Ends the leases of nodes that died. False when the queue is empty. */
export const endExpiredLeases = async (db: Db): Promise<boolean> =>
  (await db.query(END_EXPIRED, [], 'webhook expired')).rows[0]![0] === true

/** Leases at most `limit` due deliveries: only as many as there is room for, so turns are decided late. */
export function leaseDeliveries(db: Db, limit: number): Promise<Lease[]> {
  return db.transaction(async (inside) => {
    await inside.query('select pg_advisory_xact_lock($1)', [LOCKS.webhookLease], 'webhook turns lock')
    const { rows } = await inside.query(NEXT_DELIVERIES, [limit], 'webhook turns')
    return rows.map(([delivery, since]) => ({ delivery: String(delivery), since: String(since) }))
  })
}

/** SQL: the lease of the row is still the one that was taken at `since`. */
export const isLeasedSince = (since: string) => `extract(epoch from handed_at)::text = ${since}::text`

const END = `update webhook_dispatch set handed_at = null where delivery = $1 and ${isLeasedSince('$2')}`

/** Ends a lease: the delivery can be leased again. Does nothing if another node has it after an expiry. */
export async function endLease(db: Db, { delivery, since }: Lease): Promise<void> {
  await db.query(END, [delivery, since], 'webhook end lease')
}

/** Ends all leases in a copied or restored database: their nodes work on another one. */
export async function endAllLeases(db: Db): Promise<void> {
  await db.query('update webhook_dispatch set handed_at = null where handed_at is not null')
}
