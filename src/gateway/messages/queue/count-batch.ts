import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { STATUSES } from '../../base/message-status.ts'

const STATUS = z.enum(STATUSES).exclude(['received'])

/** A batch (the messages of one send), with its messages counted by status. */
export const BATCH_STATUS = z
  .object({
    batch_id: z.string(),
    recipients_count: z.int().min(1),
    counts: z.record(STATUS, z.int().min(0)).describe('Messages by status.'),
  })
  .meta({ id: 'BatchStatus' })

/**
 * Counts a user's batch by status. `key`: the API key that must have sent it. Throws 404 `batch_not_found`,
 * also for another user's batch.
 */
export async function countBatch(store: Store, user: string, batchId: string, key?: string) {
  const found = await queries(store.db, 'shaped')
    .selectFrom('sms_messages')
    .select(({ fn }) => ['status', fn.countAll<number>().as('messages')])
    .where('batch_id', '=', batchId)
    .where('batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('user'), '=', user)
    .$if(key !== undefined, (texts) => texts.where(writeUnindexed('sent_by'), '=', key!))
    .groupBy('status')
    .execute()
  if (found.length === 0) throw gatewayRefusal('batch_not_found')
  const recipients_count = found.reduce((sum, { messages }) => sum + messages, 0)
  return { batch_id: batchId, recipients_count, counts: countByStatus(found) }
}

type Counts = z.output<typeof BATCH_STATUS>['counts']
type Count = Readonly<{ status: string; messages: number }>

export function countByStatus(counted: readonly Count[]): Counts {
  const found = new Map(counted.map(({ status, messages }) => [status, messages]))
  return Object.fromEntries(
    STATUS.options.map((status) => [status, found.get(status) ?? 0]),
  ) as Counts
}
