import type { Estimate } from '../../data/cost-estimate.ts'
import { useLines } from '../../data/use/use-list.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'

interface CostProps {
  readonly number: string
  readonly body: string
  /** The device that the answer names; undefined for any. */
  readonly device: string | undefined
}

/** The cost of an answer, while it is written. Nothing if no line has prices. */
export function AnswerCost({ number, body, device }: CostProps) {
  const hasPrices = useLines().some(({ prices }) => prices)
  const request = { recipients: [number], body, draft: true, ...(device && { device_id: device }) }
  const asked = hasPrices && body.trim() !== '' ? request : undefined
  const { preview } = usePreview<{ readonly estimate: Estimate | null }>('/api/sms/preview', asked)
  return asked ? <EstimatedCost estimate={preview?.estimate} /> : null
}
