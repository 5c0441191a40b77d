import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { callFunction } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { REASONS } from '../../base/message-status.ts'
import type { Permit } from '../../base/permissions.ts'
import { notifyCanceled } from '../../lines/wake-devices.ts'
import {
  bindSenderLimits,
  requireFresh,
  requireOwnBatch,
  toGatewayError,
  writeIsSeen,
  writeIsStale,
  writeRefusalSql,
} from '../send/sending-permission.ts'
import { auditChange } from './audit-message-change.ts'
import { BATCH_STATUS, countBatch } from './count-batch.ts'
import { failUnsent } from './fail-messages.ts'

export const CANCELED_BATCH = BATCH_STATUS.extend({
  canceled: z.int().min(0).describe('Messages that this request has canceled.'),
}).meta({ id: 'CanceledBatch' })

/** Maximum messages that one transaction cancels. Meanwhile, the user's sends wait. */
const MAX_ROWS = 1_000

type Waiting = 'waiting' | 'fetched'

/** SQL: the state of queue row `d`: no device has fetched the message, or one has and has not reported it. */
const writeState = (which: Waiting) =>
  which === 'fetched'
    ? sql<boolean>`d.state || '' = 'sending' and d.refused = ''`
    : sql<boolean>`d.state || '' in ('pending', 'assigned')`

/** A user's unfinished messages, with what the judge needs to refuse their cancellation. */
const selectQueued = (db: Db, permit: Permit, which: Waiting) =>
  // not prepared: a plan made for an empty table would scan all rows for each message
  queries(db, 'planned')
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .innerJoin(bindSenderLimits(permit).as('l'), (join) => join.onTrue())
    .where(writeUnindexed('m.user'), '=', permit.sender.user)
    .where(writeUnindexed('d.user'), '=', permit.sender.user)
    .where(writeIsSeen(permit.sender))
    .where(writeState(which))

const selectBatchMessages = (db: Db, permit: Permit, batch: string, which: Waiting) =>
  selectQueued(db, permit, which)
    .where('m.batch_id', '=', batch)
    .where('m.batch_id', '<>', sql.lit(''))

/**
 * Cancels and refunds a batch's unclaimed messages, or none if the judge refuses one. Idempotent. Throws 404
 * `batch_not_found`, 403, 409.
 */
export async function cancelBatch(store: Store, permit: Permit, batchId: string) {
  for (const which of ['waiting', 'fetched'] as const) {
    const { refused } = await selectBatchMessages(store.db, permit, batchId, which)
      .select(({ fn }) => fn.max(writeRefusalSql('cancel', permit)).as('refused'))
      .executeTakeFirstOrThrow()
    if (refused !== null) throw toGatewayError(permit.sender, refused)
  }
  const canceled = await cancelWaitingTexts(store, permit, batchId)
  return { ...(await countBatch(store, permit.sender, batchId)), canceled }
}

/**
 * Cancels and refunds a batch's unclaimed messages, and asks devices to give back those that they have
 * fetched. Returns how many it has canceled; 0 also for an unknown batch.
 */
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
      return { found: found.length, canceled: await cancelLocked(db, permit, batchId, found) }
    })
    canceled += ended.canceled
    // fewer than MAX_ROWS is not the end: `lockWaiting` leaves out messages that were claimed while it waited
    if (ended.found === 0) break
  }
  for (;;) {
    const recalled = await store.db.transaction(async (db) =>
      recallLocked(db, permit, batchId, await lockBatch(db, permit, batchId, 'fetched')),
    )
    canceled += recalled.canceled
    if (recalled.found < MAX_ROWS) return canceled
  }
}

/**
 * Locks up to MAX_ROWS messages of a batch that no device has claimed. Waits for concurrent claims and
 * cancellations. Throws if the judge refuses one.
 */
export const lockWaiting = (db: Db, permit: Permit, batchId: string) =>
  lockBatch(db, permit, batchId, 'waiting')

async function lockBatch(db: Db, permit: Permit, batchId: string, which: Waiting) {
  const found = await selectBatchMessages(db, permit, batchId, which)
    .select(['d.message', 'd.device', 'd.attempt', 'm.sent_by as author'])
    .select(writeRefusalSql('cancel', permit).as('refused'))
    .where(
      which === 'fetched'
        ? sql<boolean>`m.status || '' = 'sending'`
        : sql<boolean>`m.status || '' in ('pending', 'assigned')`,
    )
    .orderBy('d.message')
    .limit(sql.lit(MAX_ROWS))
    .forUpdate('d')
    .execute()
  return requireUnrefused(permit, found)
}

type Unclaimed = Readonly<{
  message: string
  device: string
  /** How often it was claimed before. */
  attempt: number
  /** Who sent it. */
  author: string
  /** Why the caller may not cancel it; null if they may. */
  refused: string | null
}>

function requireUnrefused({ sender }: Permit, found: readonly Unclaimed[]) {
  for (const { refused } of found) if (refused !== null) throw toGatewayError(sender, refused)
  return found
}

async function cancelLocked(db: Db, permit: Permit, record: string, found: readonly Unclaimed[]) {
  if (found.length === 0) return 0
  const locked = sql`select unnest(${found.map(({ message }) => message)}::text[])`
  const canceled = await failUnsent(db, locked, REASONS.canceled, permit.sender.sentBy)
  const authors = found.map(({ author }) => author)
  if (canceled > 0) await auditChange(db, permit, { action: 'cancel', record, authors })
  return canceled
}

/**
 * Asks devices to give back locked messages that they have fetched. Cancels and refunds those that wait in a
 * server, for a carrier.
 */
async function recallLocked(
  db: Db,
  permit: Permit,
  record: string,
  found: readonly Unclaimed[],
): Promise<{ readonly found: number; readonly canceled: number }> {
  if (found.length === 0) return { found: 0, canceled: 0 }
  const ids = found.map(({ message }) => message)
  const canceled = await callFunction(db, 'sms_recall', ids, REASONS.canceled, permit.sender.sentBy)
  const authors = found.map(({ author }) => author)
  await auditChange(db, permit, { action: 'cancel', record, authors })
  return { found: found.length, canceled }
}

export const CANCELED = z
  .object({
    id: z.string(),
    status: z.literal('failed'),
    error_message: z.literal(REASONS.canceled),
  })
  .meta({ id: 'Canceled' })

/** Locks a message. Finds no `waiting` one after a concurrent claim; later claims skip the locked row. */
const lockMessage = (db: Db, permit: Permit, id: string, which: Waiting) =>
  queries(db)
    .selectFrom('sms_dispatch as d')
    .innerJoin('sms_messages as m', 'm.id', 'd.message')
    .innerJoin(bindSenderLimits(permit).as('l'), (join) => join.onTrue())
    .select(['d.message', 'd.device', 'd.attempt', 'm.sent_by as author'])
    .select(writeRefusalSql('cancel', permit).as('refused'))
    .where('d.message', '=', id)
    .where('d.user', '=', permit.sender.user)
    .where(writeIsSeen(permit.sender))
    .where(writeState(which))
    .forUpdate('d')
    .execute()

/** Cancels and refunds an unclaimed message. Idempotent. Throws 403, 404, 409. */
export async function cancelMessage(store: Store, permit: Permit, id: string) {
  await cancelOnce(store, permit, id)
  return { id, status: 'failed', error_message: REASONS.canceled }
}

/**
 * Cancels and refunds an unclaimed message, or one that waits in a server for a carrier; false if it was
 * canceled before. Asks another device that has fetched it to give it back. Throws as `cancelMessage`.
 */
export async function cancelOnce(store: Store, permit: Permit, id: string): Promise<boolean> {
  const { sender } = permit
  const canceled = await store.db.transaction(async (db) => {
    const waiting = requireUnrefused(permit, await lockMessage(db, permit, id, 'waiting'))
    for (const { message, device, attempt } of waiting)
      if (device && attempt === 0) await notifyCanceled(db, device, message, attempt)
    const ended = await cancelLocked(db, permit, id, waiting)
    if (ended > 0) return ended
    const fetched = requireUnrefused(permit, await lockMessage(db, permit, id, 'fetched'))
    return (await recallLocked(db, permit, id, fetched)).canceled
  })
  if (canceled > 0) return true
  // a new statement sees the result of a concurrent cancellation that lockMessage waited for
  const found = await queries(store.db)
    .selectFrom('sms_messages as m')
    .select(['m.status', 'm.error_message', writeIsStale(sender).as('isStale')])
    .where('m.id', '=', id)
    .where(writeUnindexed('m.user'), '=', sender.user)
    .where(writeIsSeen(sender))
    .executeTakeFirst()
  requireFresh(found)
  if (!found) throw gatewayRefusal('message_not_found')
  if (found.status !== 'failed' || found.error_message !== REASONS.canceled)
    throw gatewayRefusal('not_cancelable')
  return false
}
