import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { isOwnedBy, unindexed } from '../../db/statement.ts'
import { limitsSql, type Permit, refusalOf, refusalSql, requireOwnBatch, senderParam } from '../send/judge.ts'
import { gatewayRefusal } from '../send/refusals.ts'
import { REASONS, STATUSES, type Status } from '../status.ts'
import { notifyCanceled } from '../wake.ts'
import { failUnsent, type MessageSource } from './fail-or-reassign.ts'
import { noteChange } from './note-change.ts'

const STATUS = z.enum(STATUSES).exclude(['received'])

/** A batch (the messages of one send), with its messages counted by status. */
export const BATCH = z
  .object({
    batch_id: z.string(),
    recipients_count: z.int().min(1),
    counts: z.record(STATUS, z.int().min(0)).describe('Messages by status.'),
  })
  .meta({ id: 'BatchStatus' })

/** Counts a user's batch by status. Throws 404 `batch_not_found`, also for another user's batch. */
export async function countBatch(store: Store, user: string, batchId: string) {
  const { rows } = await store.db.shaped(
    `select status, count(*) from sms_messages m where batch_id = $1 and batch_id <> '' and ${isOwnedBy('m', '$2')} group by status`,
    [batchId, user],
    'sms batch',
  )
  if (rows.length === 0) throw gatewayRefusal('batch_not_found')
  const recipients_count = rows.reduce((sum, row) => sum + Number(row[1]), 0)
  return { batch_id: batchId, recipients_count, counts: countsOf(rows) }
}

type Counts = z.output<typeof BATCH>['counts']

/** Makes counts by status from rows that begin with a status and its count. */
export function countsOf(rows: readonly (readonly unknown[])[]): Counts {
  const found = new Map(rows.map(([status, messages]) => [status, Number(messages)]))
  return Object.fromEntries(STATUS.options.map((status) => [status, found.get(status) ?? 0])) as Counts
}

export const CANCELED_BATCH = BATCH.extend({
  canceled: z.int().min(0).describe('Messages that this request has canceled.'),
}).meta({ id: 'CanceledBatch' })

/** Maximum messages that one transaction cancels. Meanwhile, the user's sends wait. */
const MAX_ROWS = 1_000

/**
 * Locks a batch's messages that no device has claimed, and judges them. Waits for concurrent claims and
 * cancellations. $3: the sender.
 */
const WAITING = `
select d.message, d.device, d.attempt, m.sent_by, ${refusalSql('cancel', '$3')}
from sms_messages m join sms_dispatch d on d.message = m.id cross join ${limitsSql('$3')} l
where m.batch_id = $1 and m.batch_id <> '' and ${isOwnedBy('m', '$2')} and ${isOwnedBy('d', '$2')}
  and ${unindexed('m.status')} in ('pending', 'assigned') and ${unindexed('d.state')} in ('pending', 'assigned')
order by d.message limit ${MAX_ROWS} for update of d`

const LOCKED: MessageSource = {
  name: 'cancel',
  sql: 'select d.* from sms_dispatch d where d.message = any($2::text[])',
}

/** Why the judge refuses the sender to cancel a message of a batch. $1: batch, $2: user, $3: the sender. */
const REFUSED = `
select max(r.refusal) from (
  select ${refusalSql('cancel', '$3')} as refusal
  from sms_messages m join sms_dispatch d on d.message = m.id cross join ${limitsSql('$3')} l
  where m.batch_id = $1 and m.batch_id <> '' and ${isOwnedBy('m', '$2')} and ${isOwnedBy('d', '$2')}
    and ${unindexed('d.state')} in ('pending', 'assigned')
) r`

/**
 * Cancels and refunds a batch's unclaimed messages, or none if the judge refuses one. Idempotent. Throws 404
 * `batch_not_found`, 403, 409.
 */
export async function cancelBatch(store: Store, permit: Permit, batchId: string) {
  const { rows } = await store.db.query(REFUSED, [batchId, permit.sender.user, senderParam(permit)])
  if (rows[0]![0] !== null) throw refusalOf(permit.sender, String(rows[0]![0]))
  const canceled = await cancelWaiting(store, permit, batchId)
  return { ...(await countBatch(store, permit.sender.user, batchId)), canceled }
}

/** Cancels and refunds a batch's unclaimed messages. Returns how many; 0 also for an unknown batch. */
export async function cancelWaiting(store: Store, permit: Permit, batchId: string): Promise<number> {
  await requireOwnBatch(store.db, permit, batchId)
  let canceled = 0
  for (;;) {
    const ended = await store.db.transaction(async (db) => {
      const found = await lockWaiting(db, permit, batchId)
      // from attempt 1: notify devices only of messages that a device has claimed before
      return { found: found.length, canceled: await cancelLocked(db, permit, batchId, found, 1) }
    })
    canceled += ended.canceled
    // fewer than MAX_ROWS is not the end: WAITING leaves out messages that were claimed while it waited
    if (ended.found === 0) return canceled
  }
}

/** Locks up to MAX_ROWS messages of a batch that no device has claimed. Throws if the judge refuses one. */
export async function lockWaiting(db: Db, permit: Permit, batchId: string) {
  // not a named statement: a plan made for an empty table would scan all rows for each message
  const { rows } = await db.query(WAITING, [batchId, permit.sender.user, senderParam(permit)])
  return judged(permit, rows as Unclaimed[])
}

/**
 * An unclaimed message, its device if it has one, how often it was claimed before, who sent it, and why the
 * sender may not cancel it.
 */
type Unclaimed = [message: string, device: string, attempt: number, author: string, refusal: string | null]

function judged({ sender }: Permit, found: readonly Unclaimed[]) {
  for (const [, , , , refusal] of found) if (refusal !== null) throw refusalOf(sender, refusal)
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
  const ids = found.map(([message]) => message)
  const canceled = await failUnsent(db, LOCKED, REASONS.canceled, [ids], permit.sender.sentBy)
  for (const [message, device, attempt] of found)
    if (device && attempt >= fromAttempt) await notifyCanceled(db, device, message, attempt)
  const authors = found.map(([, , , author]) => author)
  if (canceled > 0) await noteChange(db, permit, { action: 'cancel', record, authors })
  return canceled
}

export const CANCELED = z
  .object({ id: z.string(), status: z.literal('failed'), error_message: z.literal(REASONS.canceled) })
  .meta({ id: 'Canceled' })

/** Locks an unclaimed message. Finds no row after a concurrent claim; later claims skip the locked row. */
const LOCK = `
select d.message, d.device, d.attempt, m.sent_by, ${refusalSql('cancel', '$3')}
from sms_dispatch d join sms_messages m on m.id = d.message cross join ${limitsSql('$3')} l
where d.message = $1 and d."user" = $2 and d.state in ('pending', 'assigned') for update of d`

/** Cancels and refunds an unclaimed message. Idempotent. Throws 403, 404, 409. */
export async function cancelMessage(store: Store, permit: Permit, id: string) {
  await cancelOnce(store, permit, id)
  return { id, status: 'failed', error_message: REASONS.canceled }
}

/** Cancels and refunds an unclaimed message; false if it was canceled before. Throws as `cancelMessage`. */
export async function cancelOnce(store: Store, permit: Permit, id: string): Promise<boolean> {
  const { user } = permit.sender
  const canceled = await store.db.transaction(async (db) => {
    const { rows } = await db.query(LOCK, [id, user, senderParam(permit)], 'sms lock to cancel')
    return cancelLocked(db, permit, id, judged(permit, rows as Unclaimed[]), 0)
  })
  if (canceled > 0) return true
  // a new statement sees the result of a concurrent cancellation that LOCK waited for
  const { rows } = await store.db.query(
    `select status, error_message from sms_messages m where id = $1 and ${isOwnedBy('m', '$2')}`,
    [id, user],
    'sms canceled message',
  )
  if (!rows[0]) throw gatewayRefusal('message_not_found')
  const [status, reason] = rows[0] as [Status, string]
  if (status !== 'failed' || reason !== REASONS.canceled) throw gatewayRefusal('not_cancelable')
  return false
}
