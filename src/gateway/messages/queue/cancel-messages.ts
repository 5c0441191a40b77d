import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { REASONS } from '../../base/message-status.ts'
import type { Permit } from '../../base/permissions.ts'
import { notifyCanceled } from '../../lines/wake-devices.ts'
import {
  bindSenderLimits,
  requireOwnBatch,
  toGatewayError,
  writeRefusalSql,
} from '../send/sending-permission.ts'
import { auditChange } from './audit-message-change.ts'
import { BATCH, countBatch } from './count-batch.ts'
import { failUnsent } from './fail-messages.ts'

export const CANCELED_BATCH = BATCH.extend({
  canceled: z.int().min(0).describe('Messages that this request has canceled.'),
}).meta({ id: 'CanceledBatch' })

/** Maximum messages that one transaction cancels. Meanwhile, the user's sends wait. */
const MAX_ROWS = 1_000

/** A user's messages that no device has claimed, with what the judge needs to refuse their cancellation. */
const selectQueued = (db: Db, permit: Permit) =>
  // not prepared: a plan made for an empty table would scan all rows for each message
  queries(db, 'planned')
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .innerJoin(bindSenderLimits(permit).as('l'), (join) => join.onTrue())
    .where(writeUnindexed('m.user'), '=', permit.sender.user)
    .where(writeUnindexed('d.user'), '=', permit.sender.user)
    .where(sql<boolean>`d.state || '' in ('pending', 'assigned')`)

const selectBatchMessages = (db: Db, permit: Permit, batch: string) =>
  selectQueued(db, permit).where('m.batch_id', '=', batch).where('m.batch_id', '<>', sql.lit(''))

/**
 * Cancels and refunds a batch's unclaimed messages, or none if the judge refuses one. Idempotent. Throws 404
 * `batch_not_found`, 403, 409.
 */
export async function cancelBatch(store: Store, permit: Permit, batchId: string) {
  const { refused } = await selectBatchMessages(store.db, permit, batchId)
    .select(({ fn }) => fn.max(writeRefusalSql('cancel', permit)).as('refused'))
    .executeTakeFirstOrThrow()
  if (refused !== null) throw toGatewayError(permit.sender, refused)
  const canceled = await cancelWaitingTexts(store, permit, batchId)
  return { ...(await countBatch(store, permit.sender.user, batchId)), canceled }
}

/** Cancels and refunds a batch's unclaimed messages. Returns how many; 0 also for an unknown batch. */
export async function cancelWaitingTexts(
  store: Store,
  permit: Permit,
  batchId: string,
): Promise<number> {
  await requireOwnBatch(store.db, permit, batchId)
  let canceled = 0
  for (;;) {
    const ended = await store.db.transaction(async (db) => {
      const found = await lockWaiting(db, permit, batchId)
      // from attempt 1: notify devices only of messages that a device has claimed before
      return { found: found.length, canceled: await cancelLocked(db, permit, batchId, found, 1) }
    })
    canceled += ended.canceled
    // fewer than MAX_ROWS is not the end: `lockWaiting` leaves out messages that were claimed while it waited
    if (ended.found === 0) return canceled
  }
}

/**
 * Locks up to MAX_ROWS messages of a batch that no device has claimed. Waits for concurrent claims and
 * cancellations. Throws if the judge refuses one.
 */
export async function lockWaiting(db: Db, permit: Permit, batchId: string) {
  const found = await selectBatchMessages(db, permit, batchId)
    .select(['d.message', 'd.device', 'd.attempt', 'm.sent_by as author'])
    .select(writeRefusalSql('cancel', permit).as('refused'))
    .where(sql<boolean>`m.status || '' in ('pending', 'assigned')`)
    .orderBy('d.message')
    .limit(sql.lit(MAX_ROWS))
    .forUpdate('d')
    .execute()
  return requireUnrefused(permit, found)
}

/**
 * An unclaimed message, its device if it has one, how often it was claimed before, who sent it, and why the
 * sender may not cancel it.
 */
type Unclaimed = Readonly<{
  message: string
  device: string
  attempt: number
  author: string
  refused: string | null
}>

function requireUnrefused({ sender }: Permit, found: readonly Unclaimed[]) {
  for (const { refused } of found) if (refused !== null) throw toGatewayError(sender, refused)
  return found
}

/** Cancels and refunds locked messages; returns how many. Notifies devices if `attempt` >= `fromAttempt`. */
async function cancelLocked(
  db: Db,
  permit: Permit,
  record: string,
  found: readonly Unclaimed[],
  fromAttempt: number,
) {
  if (found.length === 0) return 0
  const locked = sql`select unnest(${found.map(({ message }) => message)}::text[])`
  const canceled = await failUnsent(db, locked, REASONS.canceled, permit.sender.sentBy)
  for (const { message, device, attempt } of found)
    if (device && attempt >= fromAttempt) await notifyCanceled(db, device, message, attempt)
  const authors = found.map(({ author }) => author)
  if (canceled > 0) await auditChange(db, permit, { action: 'cancel', record, authors })
  return canceled
}

export const CANCELED = z
  .object({
    id: z.string(),
    status: z.literal('failed'),
    error_message: z.literal(REASONS.canceled),
  })
  .meta({ id: 'Canceled' })

/** Locks an unclaimed message. Finds no row after a concurrent claim; later claims skip the locked row. */
const lockUnclaimed = (db: Db, permit: Permit, id: string) =>
  queries(db)
    .selectFrom('sms_dispatch as d')
    .innerJoin('sms_messages as m', 'm.id', 'd.message')
    .innerJoin(bindSenderLimits(permit).as('l'), (join) => join.onTrue())
    .select(['d.message', 'd.device', 'd.attempt', 'm.sent_by as author'])
    .select(writeRefusalSql('cancel', permit).as('refused'))
    .where('d.message', '=', id)
    .where('d.user', '=', permit.sender.user)
    .where(sql<boolean>`d.state in ('pending', 'assigned')`)
    .forUpdate('d')
    .execute()

/** Cancels and refunds an unclaimed message. Idempotent. Throws 403, 404, 409. */
export async function cancelMessage(store: Store, permit: Permit, id: string) {
  await cancelOnce(store, permit, id)
  return { id, status: 'failed', error_message: REASONS.canceled }
}

/** Cancels and refunds an unclaimed message; false if it was canceled before. Throws as `cancelMessage`. */
export async function cancelOnce(store: Store, permit: Permit, id: string): Promise<boolean> {
  const { user } = permit.sender
  const canceled = await store.db.transaction(async (db) =>
    cancelLocked(db, permit, id, requireUnrefused(permit, await lockUnclaimed(db, permit, id)), 0),
  )
  if (canceled > 0) return true
  // a new statement sees the result of a concurrent cancellation that lockUnclaimed waited for
  const found = await queries(store.db)
    .selectFrom('sms_messages')
    .select(['status', 'error_message'])
    .where('id', '=', id)
    .where(writeUnindexed('user'), '=', user)
    .executeTakeFirst()
  if (!found) throw gatewayRefusal('message_not_found')
  if (found.status !== 'failed' || found.error_message !== REASONS.canceled)
    throw gatewayRefusal('not_cancelable')
  return false
}
