import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy, unindexed } from '../../db/by-id.ts'
import type { Db } from '../../db/open.ts'
import { failUnsent } from '../queue/fail.ts'
import type { MessageSource } from '../queue/reassign.ts'
import { REASONS } from '../status/status.ts'
import { notifyCanceled } from '../wake/wake.ts'
import { BATCH, countBatch } from './batches.ts'

/** What became of a batch of which the rest was called off. */
export type CanceledBatch = Readonly<z.output<typeof CANCELED_BATCH>>
export const CANCELED_BATCH = BATCH.extend({
  canceled: z.int().min(0).describe('Messages that this request has canceled.'),
}).meta({ id: 'CanceledBatch' })

/** Rows a transaction ends: devices that come to claim meanwhile wait for no more. */
const MAX_ROWS = 1_000

/** Unclaimed messages. A concurrent claim or cancel is waited for. */
const WAITING = `
select d.message, d.device, d.attempt from sms_messages m join sms_dispatch d on d.message = m.id
where m.batch_id = $1 and m.batch_id <> '' and ${isOwnedBy('m', '$2')} and ${isOwnedBy('d', '$2')}
  and ${unindexed('m.status')} in ('pending', 'assigned') and ${unindexed('d.state')} in ('pending', 'assigned')
order by d.message limit ${MAX_ROWS} for update of d`

const LOCKED: MessageSource = {
  name: 'cancel',
  sql: 'select d.* from sms_dispatch d where d.message = any($2::text[])',
}

/** Cancels and refunds a batch's unclaimed messages. Repeatable. Throws 404 `batch_not_found`. */
export async function cancelBatch(store: Store, user: string, batchId: string): Promise<CanceledBatch> {
  const canceled = await cancelWaiting(store, user, batchId)
  return { ...(await countBatch(store, user, batchId)), canceled }
}

/** The same for a batch that may have no messages; how many it canceled. */
export async function cancelWaiting(store: Store, user: string, batchId: string): Promise<number> {
  let canceled = 0
  for (;;) {
    const ended = await store.db.transaction((db) => cancelSome(db, user, batchId))
    canceled += ended.canceled
    // fewer than could be: some were claimed while they were waited for
    if (ended.found === 0) return canceled
  }
}

/** Locks some messages of a user's batch that no device has claimed: their ids, devices and attempts. */
export async function lockWaiting(db: Db, user: string, batchId: string) {
  // without a name: a plan of when there was little would go through all for each
  const { rows } = await db.query(WAITING, [batchId, user])
  return rows as Unclaimed[]
}

/** A message that no device has claimed, the device that may have heard of it, and its attempt. */
export type Unclaimed = [message: string, device: string, attempt: number]

async function cancelSome(db: Db, user: string, batchId: string) {
  const found = await lockWaiting(db, user, batchId)
  // a device that never claimed a message has nothing to forget
  return { found: found.length, canceled: await cancelLocked(db, found, 1) }
}

/**
 * Cancels and refunds messages that this transaction has locked. Returns how many. Notifies the devices of
 * those with at least `fromAttempt` attempts.
 */
export async function cancelLocked(
  db: Db,
  found: readonly Unclaimed[],
  fromAttempt: number,
): Promise<number> {
  if (found.length === 0) return 0
  const canceled = await failUnsent(db, LOCKED, REASONS.canceled, [found.map(([message]) => message)])
  for (const [message, device, attempt] of found)
    if (device && attempt >= fromAttempt) await notifyCanceled(db, device, message, attempt)
  return canceled
}
