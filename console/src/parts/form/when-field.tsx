import type { Fault } from '../../data/fault.ts'
import { formatLocal, type When } from '../../data/text/local-time.ts'
import { HERE } from '../../data/time-zones.ts'
import { t } from '../../language/words.ts'
import { Segments } from './choices.tsx'
import { TextField } from './field.tsx'

const HOUR_MS = 3_600_000

const TIMES = [
  [false, t('Now')],
  [true, t('Later')],
] as const
const BEGINNINGS = [
  [false, t('From the next time on')],
  [true, t('From a day on')],
] as const

export function WhenField({
  when: { isLater, at },
  onChange,
  fault,
  error,
  repeats = false,
}: {
  when: When
  onChange: (part: Partial<When>) => void
  fault?: Fault
  error?: string
  /** Whether the text repeats: the choice is then when that begins. */
  repeats?: boolean
}) {
  return (
    <>
      <Segments
        legend={t('When')}
        choices={repeats ? BEGINNINGS : TIMES}
        chosen={isLater}
        onChoose={(later) =>
          onChange({ isLater: later, at: at || formatLocal(Date.now() + HOUR_MS) })
        }
      />
      {isLater && (
        <TextField
          label={repeats ? t('Not before') : t('Send at')}
          name="at"
          type="datetime-local"
          min={formatLocal(Date.now())}
          value={at}
          onValue={(value) => onChange({ at: value })}
          fault={fault}
          error={error}
          hint={t('Your time: {zone}.', { zone: HERE.replaceAll('_', ' ') })}
        />
      )}
    </>
  )
}
