import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { gatewayRefusal } from '../send/refusal.ts'

/** All statuses a sent message can have, in their order. */
const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed'] as const

/** What became of the messages of one send, by status. */
export type Batch = Readonly<z.output<typeof BATCH>>
export const BATCH = z
  .object({
    batch_id: z.string(),
    recipients_count: z.int().min(1),
    counts: z.record(z.enum(STATUSES), z.int().min(0)).describe('Messages by status.'),
  })
  .meta({ id: 'BatchStatus' })

/** Counts a user's batch. Throws 404 `batch_not_found`, also for another's. */
export async function countBatch(store: Store, user: string, batchId: string): Promise<Batch> {
  const { rows } = await store.db.shaped(
    `select status, count(*) from sms_messages m where batch_id = $1 and batch_id <> '' and ${isOwnedBy('m', '$2')} group by status`,
    [batchId, user],
    'sms batch',
  )
  if (rows.length === 0) throw gatewayRefusal('batch_not_found')
  const found = new Map(rows as [string, number][])
  const counts = Object.fromEntries(
    STATUSES.map((status) => [status, found.get(status) ?? 0]),
  ) as Batch['counts']
  return { batch_id: batchId, recipients_count: rows.reduce((sum, row) => sum + Number(row[1]), 0), counts }
}
