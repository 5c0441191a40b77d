import { useEffect, useState } from 'preact/hooks'
import { postRequest } from '../../data/client.ts'
import { addEstimates, type Estimate } from '../../data/cost-estimate.ts'
import { useDebounced } from '../../data/use/use-debounced.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { useLines } from '../../data/use/use-list.ts'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'
import type { ListText } from './list-rows.ts'
import { groupEqualTexts } from './split-for-estimates.ts'

const CALM_MS = 350

/** What the texts of a list cost, once the server has estimated it. */
export function ListCost({ texts }: { texts: readonly ListText[] }) {
  const asked = useDebounced(texts, CALM_MS)
  const [estimate, setEstimate] = useState<Estimate | null>(null)
  const hasPrices = useLines().some(({ prices }) => prices)
  const begin = useLatest()
  useEffect(() => {
    const isLatest = begin()
    setEstimate(null)
    if (!hasPrices) return
    estimateList(asked, isLatest).then(
      (found) => isLatest() && setEstimate(found),
      () => isLatest() && setEstimate(null), // the send itself tells what is wrong
    )
    return () => void begin()
  }, [asked, hasPrices])
  return asked === texts ? <EstimatedCost estimate={estimate} /> : null
}

/** Adds the estimates of texts with the same number of segments. Null if no line has prices. */
async function estimateList(
  texts: readonly ListText[],
  isWanted: () => boolean,
): Promise<Estimate | null> {
  const parts: Estimate[] = []
  for (const { body, phones } of groupEqualTexts(texts)) {
    if (!isWanted()) return null
    const request = { recipients: phones, body, draft: true }
    const { estimate } = await postRequest<{ estimate: Estimate | null }>(
      '/api/sms/preview',
      request,
    )
    if (!estimate) return null
    parts.push(estimate)
  }
  return addEstimates(parts)
}
