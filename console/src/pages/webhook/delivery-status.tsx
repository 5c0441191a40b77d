import type { Delivery } from '../../data/records.ts'
import { Badge, type Tone } from '../../parts/status.tsx'

const STATES: Readonly<Record<Delivery['status'], readonly [Tone, string]>> = {
  pending: ['busy', 'On its way'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
}

/** The state of a delivery. */
export const DeliveryStatus = ({ status }: { status: Delivery['status'] }) => (
  <Badge tone={STATES[status][0]}>{STATES[status][1]}</Badge>
)
