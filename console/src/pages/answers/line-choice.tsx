import { lineWords, useLines } from '../../data/use/use-lines.ts'
import { t } from '../../language/words.ts'
import { CheckField } from '../../parts/form/field.tsx'
import type { TypedAnswer } from './answer-form.tsx'

/** The lines that a text must come in by; nothing to choose with one line. */
export function LineChoice({
  typed: { lines: chosen },
  onChange,
}: {
  typed: TypedAnswer
  onChange: (part: Partial<TypedAnswer>) => void
}) {
  const lines = useLines()
  if (lines.length < 2) return null
  return (
    <fieldset class="days">
      <legend>{t('Lines that it comes in by (none: all)')}</legend>
      {lines.map((line) => (
        <CheckField
          key={line.id}
          label={lineWords(line)}
          name={`line-${line.id}`}
          value={chosen.includes(line.id)}
          onValue={(isIn) =>
            onChange({ lines: isIn ? [...chosen, line.id] : chosen.filter((id) => id !== line.id) })
          }
        />
      ))}
    </fieldset>
  )
}
