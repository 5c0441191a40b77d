import { pb } from '../../data/client.ts'
import { faultOf } from '../../data/fault.ts'
import type { Message } from '../../data/records.ts'

/** Requests at a time. */
const LANES = 6
/** Ids read by one request. */
const PAGE = 500
/** Refusals of one message, which say nothing about the next one. */
const OF_ONE: ReadonlySet<string> = new Set(['not_cancelable', 'not_retriable', 'message_not_found'])

/** The numbers of changed messages, and of those that could no longer be changed. */
export interface Done {
  readonly done: number
  readonly late: number
}

/**
 * Runs an action for each message of some filters, oldest first. Reads all ids first, since the
 * changes may alter the results of the filters. Reports progress to `tell`. Ends early when `stop` aborts.
 * Throws errors that do not concern a single message.
 */
export async function doEach(
  filters: readonly string[],
  action: 'cancel' | 'retry',
  tell: (through: number) => void,
  stop: AbortSignal,
): Promise<Done> {
  const counts = { done: 0, late: 0 }
  const waiting = (await idsOf(filters)).values()
  let isRefused = false
  const lane = async () => {
    for (const id of waiting) {
      if (stop.aborted || isRefused) return
      try {
        await pb.send(`/api/sms/messages/${id}/${action}`, { method: 'POST' })
        counts.done++
      } catch (error) {
        isRefused = !OF_ONE.has(faultOf(error).code)
        if (isRefused) throw error
        counts.late++
      }
      tell(counts.done + counts.late)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return counts
}

async function idsOf(filters: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const filter of filters) {
    const options = { filter, sort: '@rowid', fields: 'id', batch: PAGE }
    for (const { id } of await pb.collection<Message>('sms_messages').getFullList(options)) ids.push(id)
  }
  return ids
}
