import type { Store } from '../collections/catalog.ts'
import { refuse } from './refusal.ts'

/** What became of the messages of one send, by status; all statuses a sent message can have, in their order. */
export interface Batch {
  readonly batch_id: string
  readonly recipients_count: number
  readonly counts: Readonly<Record<string, number>>
}

const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed'] as const

/** Counts a user's batch. Throws 404 `batch_not_found`, also for another's. */
export async function countBatch(store: Store, user: string, batchId: string): Promise<Batch> {
  const { rows } = await store.db.query(
    `select status, count(*) from sms_messages where batch_id = $1 and batch_id <> '' and "user" = $2 group by status`,
    [batchId, user],
    'sms batch',
  )
  if (rows.length === 0) throw refuse('batch_not_found')
  const found = new Map(rows as [string, number][])
  const counts = Object.fromEntries(STATUSES.map((status) => [status, found.get(status) ?? 0]))
  return { batch_id: batchId, recipients_count: rows.reduce((sum, row) => sum + Number(row[1]), 0), counts }
}
