import { t } from '../../../language/words.ts'
import { Button } from '../../../parts/form/button.tsx'
import type { Problem } from './problem.ts'

const HINT = t('Fields, comparisons and values are offered while you type. Enter applies.')

/** The line below the filter: a fault and its fix, the server's refusal, or help. */
export function FilterNote({
  id,
  problem,
  refusal,
  onFix,
}: {
  id: string
  problem: Problem | undefined
  refusal: string | undefined
  onFix: (filter: string) => void
}) {
  const isWrong = problem ? !problem.isDoubt : refusal !== undefined
  const kind = isWrong ? 'wrong' : problem ? 'doubt' : ''
  const fix = problem?.fix
  return (
    <div class={`messages-filter-note ${kind}`}>
      <p id={id} role="status">
        {problem?.message ?? refusal ?? HINT}
      </p>
      {fix && (
        <Button kind="quiet" onClick={() => onFix(fix.filter)}>
          {fix.words}
        </Button>
      )}
    </div>
  )
}
