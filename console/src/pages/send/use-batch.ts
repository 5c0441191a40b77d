import { useEffect, useState } from 'preact/hooks'
import { countRecords, pb } from '../../data/client.ts'
import type { Fault } from '../../data/fault.ts'
import type { Message } from '../../data/record-types.ts'
import { useCalm } from '../../data/use/use-calm.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { useList } from '../../data/use/use-list.ts'
import { useLive } from '../../data/use/use-live.ts'
import {
  CANCELED_FILTER,
  chooseShownState,
  HELD_FILTER,
  moveHeld,
  type ShownState,
} from '../../data/words/message-states.ts'

export const OVER = ['sent', 'delivered', 'failed'] as const

type Counts = Readonly<Partial<Record<ShownState, number>>>

export interface Batch {
  /** The send's first messages, in the order of the recipients. */
  readonly items: readonly Message[]
  readonly total: number
  readonly counts: Counts
  readonly filter: string
  readonly loading: boolean
  readonly fault: Fault | undefined
}

/**
 * The messages of a send, updated live: those with the batch id `batch`; if `batch` is '', only the message
 * with the id `message`.
 */
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
  const isCounted = !isWhole && batch !== ''
  const begin = useLatest()
  const count = () => {
    if (!isCounted) return
    const isLatest = begin()
    readCounts(batch, filter).then(
      (now) => isLatest() && setCounts(now),
      () => {}, // the next change asks again
    )
  }
  const soon = useCalm(count, () => CALM_MS)
  useEffect(count, [isCounted, batch])
  useLive<Message>('sms_messages', isCounted ? '*' : undefined, soon, soon)
  return {
    items,
    total,
    loading,
    fault,
    filter,
    counts: isWhole ? countStates(items) : (counts ?? {}),
  }
}

function countStates(items: readonly Message[]): Counts {
  const counts: Partial<Record<ShownState, number>> = {}
  for (const state of items.map(chooseShownState)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

async function readCounts(batch: string, filter: string): Promise<Counts> {
  const [{ counts }, canceled, held] = await Promise.all([
    pb.send<{ counts: Counts }>(`/api/sms/batches/${batch}`, {}),
    countRecords('sms_messages', `${filter} && ${CANCELED_FILTER}`),
    countRecords('sms_messages', `${filter} && ${HELD_FILTER}`),
  ])
  const failed = Math.max(0, (counts.failed ?? 0) - canceled)
  return moveHeld({ ...counts, canceled, failed }, held)
}

const SHOWN = 50
/** Changes within this time cause one request for the counts. */
const CALM_MS = 400
