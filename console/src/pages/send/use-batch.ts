import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Fault } from '../../data/fault.ts'
import type { Message, MessageState } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

const SHOWN = 50

/** Messages by state. */
export type Counts = Readonly<Partial<Record<MessageState, number>>>

/** What became of one send so far. */
export interface Batch {
  /** The first messages of it, in the order of the recipients. */
  readonly items: readonly Message[]
  readonly total: number
  readonly counts: Counts
  /** All of them, for the list of messages. */
  readonly filter: string
  readonly loading: boolean
  readonly fault: Fault | undefined
}

/** The messages of a send, live: by its id, or the one message that has no batch. */
export function useBatch(batch: string, message: string): Batch {
  const filter = batch
    ? pb.filter('batch_id = {:batch}', { batch })
    : pb.filter('id = {:message}', { message })
  const { items, total, loading, fault } = useList<Message>('sms_messages', {
    filter,
    sort: '@rowid',
    perPage: SHOWN,
  })
  const [counts, setCounts] = useState<Counts>()
  const isWhole = total <= items.length
  useEffect(() => {
    if (isWhole || batch === '') return
    pb.send<{ counts: Counts }>(`/api/sms/batches/${batch}`, {}).then(
      (answer) => setCounts(answer.counts),
      () => {}, // the next change asks again
    )
  }, [items, isWhole, batch])
  return { items, total, loading, fault, filter, counts: isWhole ? countsOf(items) : (counts ?? {}) }
}

function countsOf(items: readonly Message[]): Counts {
  const counts: Partial<Record<MessageState, number>> = {}
  for (const { status } of items) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
