import type { Delivery } from '../../data/record-types.ts'
import type { State } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { Badge, StateBadge } from '../../parts/time.tsx'

const STATES: Readonly<Record<Delivery['status'], State>> = {
  pending: ['busy', t('Waiting')],
  delivered: ['good', t('Delivered#call')],
  failed: ['bad', t('Failed#call')],
}

export const DeliveryStatus = ({ delivery: { status, attempts } }: { delivery: Delivery }) =>
  status === 'pending' && attempts > 0 ? (
    <Badge tone="warn">{t('Trying again')}</Badge>
  ) : (
    <StateBadge state={STATES[status]} />
  )
