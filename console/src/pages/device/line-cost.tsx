import type { LineUse } from '../../data/device/device-states.ts'
import { formatMoney } from '../../data/money.ts'
import type { Line } from '../../data/record-types.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { Progress } from '../../parts/page.tsx'

/** A meter warns when this fraction of the budget is used. */
const NEAR = 0.8

/** What the texts of a line with prices cost in this month, and how much of its budget that is. */
export function LineCost({
  line: { monthly_budget: budget },
  use,
}: {
  line: Line
  use: LineUse | undefined
}) {
  if (use?.cost == null) return null
  const currency = ownSettings.value?.currency ?? ''
  const cost = formatMoney(use.cost, currency)
  if (budget === '') return <p class="muted">{t('{cost} this month', { cost })}</p>
  const [used, total] = [Number(use.cost), Number(budget)]
  return (
    <>
      <Progress
        value={Math.min(used, total)}
        max={total}
        label={t('{cost} of {budget} this month', { cost, budget: formatMoney(budget, currency) })}
        tone={use.stopped ? 'bad' : used >= total * NEAR ? 'warn' : ''}
      />
      {use.stopped && (
        <Notice kind="warning">
          {t(
            'The budget was too small for a text. Raise it, or the text waits for another line or the next month.',
          )}
        </Notice>
      )}
    </>
  )
}
