import { signal } from '@preact/signals'
import { formatRelativeTime, STEP_MS } from '../data/text/relative-time.ts'
import { locale } from '../language/language.ts'

const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, STEP_MS)

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })

/** Milliseconds of one of PocketBase's dates; NaN for ''. */
export const msOf = (text: string) => Date.parse(text.replace(' ', 'T'))

/**
 * A time relative to now, as `3 min. ago`; the tooltip has the full date. `none` is shown for an empty date.
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

/** The local day of a date, in words. */
export const formatDay = (text: string): string => day.format(msOf(text))

/** The time of the day; the tooltip has the full date. */
export const Hour = ({ at }: { at: string }) => (
  <time dateTime={new Date(msOf(at)).toISOString()} title={full.format(msOf(at))}>
    {hour.format(msOf(at))}
  </time>
)
