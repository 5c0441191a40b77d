import type { Sheet } from '../../data/files/sheet.ts'
import { t } from '../../language/words.ts'
import { BadRows } from '../../parts/bad-rows.tsx'
import { CountList } from '../../parts/count-list.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Actions, Notice } from '../../parts/form/form.tsx'
import type { Plan } from './import-rows.ts'
import type { Outcome } from './import-run.ts'

/** The result of an import. */
export function Report({
  sheet,
  plan,
  outcome,
  stopped,
  onClose,
}: {
  sheet: Sheet
  plan: Plan
  outcome: Outcome
  stopped: boolean
  onClose: () => void
}) {
  const failed = outcome.failed.map(({ contact, why }) => ({
    row: contact.row,
    cells: sheet.rows[contact.row - sheet.first] ?? [],
    why,
  }))
  const bad = [...plan.bad, ...failed].sort((a, b) => a.row - b.row)
  const figures = [
    [t('Added'), outcome.added],
    [t('Changed'), outcome.changed],
    [t('Left as they were'), outcome.left],
    [t('Left out'), bad.length],
  ] as const
  return (
    <div class="form">
      {stopped && <Notice kind="warning">{t('Stopped. What was imported until then stays.')}</Notice>}
      <CountList figures={figures} />
      <BadRows sheet={sheet} bad={bad} />
      <Actions>
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </Actions>
    </div>
  )
}
