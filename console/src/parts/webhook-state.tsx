import { pb } from '../data/client.ts'
import type { Delivery, Webhook } from '../data/record-types.ts'
import { useList } from '../data/use/use-list.ts'
import { t } from '../language/words.ts'
import { Badge, OnOffBadge } from './time.tsx'

const FAILED =
  'created >= @yesterday && (status = "failed" || (status = "pending" && attempts > 0))'

/** Says whether a webhook is on, and whether a delivery of the last 24 hours failed or is retried. */
export function WebhookState({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const filter = pb.filter(`webhook = {:id} && ${FAILED}`, { id })
  const { items } = useList<Delivery>('webhook_deliveries', { filter, perPage: 1, fields: 'id' })
  const isFailing = enabled && items.length > 0
  return isFailing ? <Badge tone="bad">{t('Failing')}</Badge> : <OnOffBadge isOn={enabled} />
}
