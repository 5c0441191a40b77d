import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { checkShape } from '../../base/body-schemas.ts'
import type { Sender } from '../../base/make-sender.ts'
import { type Permit, requirePermit } from '../../base/permissions.ts'
import { COMMON, makeDateSchema } from '../send/send-body-schema.ts'
import { requireOwnBatch } from '../send/sending-permission.ts'
import {
  bindChangeTerms,
  MESSAGE_CHANGE,
  type Planned,
  parseMessageChange,
  selectWaiting,
  throwChangeFault,
  type WaitingMessageChange,
} from './change-waiting-message.ts'
import { BATCH_STATUS, countBatch } from './count-batch.ts'

const selectOfBatch = (db: Db, permit: Permit, batch: string) =>
  selectWaiting(db, permit).where('m.batch_id', '=', batch).where('m.batch_id', '<>', sql.lit(''))

export const RESCHEDULE = z
  .strictObject({
    scheduled_at: makeDateSchema().describe('Not before this instant. One that is past means now.'),
    expires_at: MESSAGE_CHANGE.shape.expires_at,
    ttl: COMMON.ttl,
  })
  .meta({ id: 'Reschedule' })

export const RESCHEDULED_BATCH = BATCH_STATUS.extend({
  rescheduled: z.int().min(0).describe('Messages that this request has changed.'),
}).meta({ id: 'RescheduledBatch' })

/** Maximum messages per statement: cancellations and the sweep of the queue wait until it ends. */
const MAX_ROWS = 1_000

/** Parses a reschedule. Throws 400 `invalid_request` that names the first wrong field. */
export const readReschedule = (raw: unknown, now: Date): WaitingMessageChange =>
  parseMessageChange(checkShape(RESCHEDULE, raw), now)

/**
 * Reschedules a batch's waiting messages. Idempotent. Throws 403, 404, 409; 400 if a message would expire
 * before it is due, or if they are more than the sender may change at once.
 */
export async function rescheduleBatch(
  store: Store,
  sender: Sender,
  batchId: string,
  change: WaitingMessageChange,
) {
  const permit = await requireBatch(store, sender, batchId, change)
  let rescheduled = 0
  for (let last: string | null = ''; last !== null; ) {
    const some: Some = await rescheduleChunk(store.db, permit, batchId, change, last)
    rescheduled += some.changed
    last = some.last
  }
  return { ...(await countBatch(store, sender, batchId)), rescheduled }
}

async function requireBatch(
  { db }: Store,
  sender: Sender,
  batchId: string,
  change: WaitingMessageChange,
) {
  const permit = requirePermit(sender, 'change')
  await requireOwnBatch(db, permit, batchId)
  const waiting = selectOfBatch(db, permit, batchId)
  const planned = sql<Planned>`sms_planned_change(array(${waiting}), ${bindChangeTerms(permit, change)})`
  const { messages, unfit, refusal } = await queries(db, 'planned')
    .selectFrom(planned.as('p'))
    .select(({ fn }) => [fn.countAll<number>().as('messages'), fn.max('refusal').as('refusal')])
    .select(sql<boolean>`coalesce(bool_or(unfit), false)`.as('unfit'))
    .executeTakeFirstOrThrow()
  throwChangeFault(permit, { unfit, refusal })
  return requirePermit(sender, 'change', messages)
}

interface Some {
  /** The last message of those that were found; null if there is none left. */
  readonly last: string | null
  readonly changed: number
}

async function rescheduleChunk(
  db: Db,
  permit: Permit,
  batchId: string,
  change: WaitingMessageChange,
  after: string,
) {
  const waiting = selectOfBatch(db, permit, batchId)
    .where('d.message', '>', after)
    .orderBy('d.message')
    .limit(sql.lit(MAX_ROWS))
    .forUpdate(['d', 'm'])
  const rescheduled = sql<Planned>`sms_change(array(${waiting}), ${bindChangeTerms(permit, change)}, 'reschedule', ${batchId})`
  const { last, changed, unfit, refusal } = await queries(db, 'planned')
    .selectFrom(rescheduled.as('c'))
    .select(({ fn }) => [fn.max('message').as('last'), fn.max('refusal').as('refusal')])
    .select(sql<number>`count(*) filter (where what <> '')`.as('changed'))
    .select(sql<boolean>`coalesce(bool_or(unfit), false)`.as('unfit'))
    .executeTakeFirstOrThrow()
  // another request has changed the messages since they were checked
  throwChangeFault(permit, { unfit, refusal })
  return { last, changed }
}
