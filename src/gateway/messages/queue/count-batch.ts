import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import { STATUSES } from '../../base/message-status.ts'
import { writeIsSeen } from '../send/sending-permission.ts'

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
 * Counts those messages of a batch by status that the sender may see. Throws 404 `batch_not_found` if there
 * are none.
 */
export async function countBatch(store: Store, sender: Sender, batchId: string) {
  const found = await queries(store.db, 'shaped')
    .selectFrom('sms_messages as m')
    .select(({ fn }) => ['m.status', fn.countAll<number>().as('messages')])
    .where('m.batch_id', '=', batchId)
    .where('m.batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('m.user'), '=', sender.user)
    .where(writeIsSeen(sender))
    .groupBy('m.status')
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
