import { z } from 'zod'
import { gatewayRefusal } from '../../gateway/base/refusals.ts'
import { countBatch } from '../../gateway/messages/queue/batch.ts'
import type { SendingCaller } from '../../gateway/messages/sender.ts'
import type { DoorCall } from '../door.ts'
import { find, itemOf, MESSAGES } from './lists.ts'

export const BATCH = z.strictObject({
  batch_id: z.string(),
  total: z.int(),
  status_counts: z.record(z.string(), z.int()),
  messages: z.array(itemOf(MESSAGES)).describe('The newest, 1,000 at most.'),
})

/** Maximum messages of a batch that are shown: PocketBase's largest page. Some batches are larger. */
const MAX_OF_BATCH = 1_000

export async function readBatch(call: DoorCall, caller: SendingCaller, batch_id: string) {
  const { recipients_count: total, counts } = await countBatch(caller.store, caller.user, batch_id)
  const { items: messages } = await find(call, caller, MESSAGES, { batch_id }, [1, MAX_OF_BATCH])
  const present = Object.entries(counts).filter(([, count]) => count > 0)
  return { batch_id, total, status_counts: Object.fromEntries(present), messages }
}

export async function readStatus(call: DoorCall, caller: SendingCaller, id: string) {
  const { items } = await find(call, caller, MESSAGES, { id }, [1, 1])
  return items[0] ?? Promise.reject(gatewayRefusal('message_not_found'))
}
