import type { Fault } from '../../data/fault.ts'
import { t } from '../../language/words.ts'
import { Segments } from './choices.tsx'
import { TextField } from './field.tsx'

const HOUR_MS = 3_600_000
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time in the format of `datetime-local` inputs, in the browser's time zone: `2026-11-20T08:30`. */
export const localOf = (ms: number) => {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A choice: now, or later at a local time such as `2026-11-20T08:30`. */
export interface When {
  readonly isLater: boolean
  readonly at: string
}

/** The error of a chosen time; {} if the time is valid. The unchanged time `was` is always valid. */
export function timeFault({ isLater, at }: When, was: string): { at?: string } {
  if (!isLater || at === was) return {}
  if (!at) return { at: t('When shall it go out?') }
  return new Date(at).getTime() <= Date.now() ? { at: t('This time is past.') } : {}
}

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
  fault?: Fault | undefined
  error?: string | undefined
  /** Whether the text repeats: the choice is then when that begins. */
  repeats?: boolean
}) {
  return (
    <>
      <Segments
        legend={t('When')}
        choices={repeats ? BEGINNINGS : TIMES}
        chosen={isLater}
        onChoose={(later) => onChange({ isLater: later, at: at || localOf(Date.now() + HOUR_MS) })}
      />
      {isLater && (
        <TextField
          label={repeats ? t('Not before') : t('Send at')}
          name="at"
          type="datetime-local"
          min={localOf(Date.now())}
          value={at}
          onValue={(value) => onChange({ at: value })}
          fault={fault}
          error={error}
          hint={t('Your time: {zone}.', { zone: zone.replaceAll('_', ' ') })}
        />
      )}
    </>
  )
}
