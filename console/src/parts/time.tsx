import { signal } from '@preact/signals'
import { locale } from '../language/language.ts'
import { t } from '../language/words.ts'

const STEP_MS = 15_000
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
/** Older than this is told by its date. */
const DAYS_TOLD = 7

const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, STEP_MS)

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })

/** Milliseconds of one of PocketBase's dates; NaN for ''. */
export const msOf = (text: string) => Date.parse(text.replace(' ', 'T'))

/**
 * When something was or will be, as `3 min. ago`; the whole instant is its tooltip. `none` stands for an
 * empty date.
 */
export function Time({ at, none = '–' }: { at: string; none?: string }) {
  const ms = msOf(at)
  if (Number.isNaN(ms)) return <span class="muted">{none}</span>
  return (
    <time dateTime={new Date(ms).toISOString()} title={full.format(ms)}>
      {formatRelativeTime(ms, Math.max(now.value, Date.now()))}
    </time>
  )
}

/** One of PocketBase's dates as day and time. */
export const formatDateTime = (text: string): string => dateTime.format(msOf(text))

/** An instant relative to another, in words. */
export function formatRelativeTime(ms: number, nowMs: number): string {
  const seconds = Math.round((ms - nowMs) / 1000)
  // what is of now may be later than the clock's last step
  if (Math.abs(seconds) < 45) return seconds > STEP_MS / 1000 ? t('in a moment') : t('just now')
  if (Math.abs(seconds) > DAYS_TOLD * 86_400) return date.format(ms)
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (['minute', 60] as const)
  return relative.format(Math.trunc(seconds / length) || Math.sign(seconds), unit)
}
