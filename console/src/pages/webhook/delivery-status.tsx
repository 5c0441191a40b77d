import type { Delivery } from '../../data/records.ts'
import { Badge, type Tone } from '../../parts/status.tsx'

const STATES: Readonly<Record<Delivery['status'], readonly [Tone, string]>> = {
  pending: ['busy', 'Waiting'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
}

/** The state of a delivery. */
export const DeliveryStatus = ({ delivery: { status, attempts } }: { delivery: Delivery }) =>
  status === 'pending' && attempts > 0 ? (
    <Badge tone="warn">Trying again</Badge>
  ) : (
    <Badge tone={STATES[status][0]}>{STATES[status][1]}</Badge>
  )
