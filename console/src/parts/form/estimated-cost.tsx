import type { Estimate } from '../../data/cost-estimate.ts'
import { describeLine } from '../../data/device/lines.ts'
import { formatMoney } from '../../data/money.ts'
import { useLines } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'

/** The cost of a send, such as “3 by Twilio · Acme, about €0.24”. Nothing if no line with prices sends. */
export const EstimatedCost = ({ estimate }: { estimate: Estimate | null | undefined }) => {
  if (!estimate) return null
  const isPaid = estimate.lines.some(({ cost }) => Number(cost) > 0)
  return (
    <>
      {isPaid && <PaidLines {...estimate} />}
      {estimate.waiting > 0 && (
        <div>
          {tn(
            '1 text has no line now: its cost is not known yet',
            '{count} texts have no line now: their cost is not known yet',
            estimate.waiting,
          )}
        </div>
      )}
    </>
  )
}

function PaidLines({ lines, currency }: Estimate) {
  const known = useLines()
  const paid = lines.filter(({ cost }) => Number(cost) > 0)
  const texts = paid.reduce((sum, one) => sum + one.texts, 0)
  const cost = formatMoney(String(paid.reduce((sum, one) => sum + Number(one.cost), 0)), currency)
  const only = paid.length === 1 ? known.find(({ id }) => id === paid[0]?.line) : undefined
  return (
    <div>
      {only
        ? t('{texts} by {line}, about {cost}', { texts, line: describeLine(only), cost })
        : tn(
            '{texts} by a line with prices, about {cost}',
            '{texts} by {count} lines with prices, about {cost}',
            paid.length,
            { texts, cost },
          )}
    </div>
  )
}
