import type { Delivery, Webhook } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

const MOST = 200
/** Deliveries of the last day that failed, or whose first attempt failed. */
const FAILED = 'created >= @yesterday && (status = "failed" || (status = "pending" && attempts > 0))'

/** A function that tells whether calls of a webhook failed lately. */
export function useFailing(): (webhook: Webhook) => boolean {
  const { items } = useList<Delivery>('webhook_deliveries', {
    filter: FAILED,
    perPage: MOST,
    fields: 'id,webhook',
  })
  const failing = new Set(items.map(({ webhook }) => webhook))
  return ({ id }) => failing.has(id)
}
