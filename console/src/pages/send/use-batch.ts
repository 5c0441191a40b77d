import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Fault } from '../../data/fault.ts'
import type { Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { CANCELED_FILTER, type ShownState, shownState } from '../../data/words/failure-reasons.ts'

const SHOWN = 50

/** Messages by state; `failed` without canceled ones. */
export type Counts = Readonly<Partial<Record<ShownState, number>>>

/** The present state of a send. */
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
    readCounts(batch, filter).then(setCounts, () => {}) // the next change asks again
  }, [items, isWhole, batch])
  return { items, total, loading, fault, filter, counts: isWhole ? countsOf(items) : (counts ?? {}) }
}

function countsOf(items: readonly Message[]): Counts {
  const counts: Partial<Record<ShownState, number>> = {}
  for (const state of items.map(shownState)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/** Counts the messages of a send that has more than are shown. */
async function readCounts(batch: string, filter: string): Promise<Counts> {
  const [{ counts }, { totalItems: canceled }] = await Promise.all([
    pb.send<{ counts: Counts }>(`/api/sms/batches/${batch}`, {}),
    pb.collection('sms_messages').getList(1, 1, { filter: `${filter} && ${CANCELED_FILTER}`, fields: 'id' }),
  ])
  return { ...counts, canceled, failed: Math.max(0, (counts.failed ?? 0) - canceled) }
}
