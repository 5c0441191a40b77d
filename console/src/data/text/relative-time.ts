import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'

export const STEP_MS = 15_000
const DAY_SECONDS = 86_400
/** Times more days ago are shown as a date. */
const DAYS_TOLD = 7
const DAY_MS = DAY_SECONDS * 1000

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/**
 * Words for `ms` relative to `nowMs`. Counts days of the local calendar: `yesterday` is never the day
 * before yesterday.
 */
export function formatRelativeTime(ms: number, nowMs: number): string {
  const seconds = Math.round((ms - nowMs) / 1000)
  const past = Math.abs(seconds)
  // a new record may be later than `nowMs`, which is updated every STEP_MS
  if (past < 45) return seconds > STEP_MS / 1000 ? t('in a moment') : t('just now')
  if (past > DAYS_TOLD * DAY_SECONDS) return date.format(ms)
  const days = past < DAY_SECONDS ? 0 : calendarDay(ms) - calendarDay(nowMs)
  if (days !== 0) return relative.format(days, 'day')
  if (past < 3_600) return relative.format(Math.trunc(seconds / 60) || Math.sign(seconds), 'minute')
  return relative.format(Math.trunc(seconds / 3_600), 'hour')
}

/** A number for the local day: consecutive days have consecutive numbers, even if a day has 23 hours. */
function calendarDay(ms: number): number {
  const at = new Date(ms)
  return Math.round(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / DAY_MS)
}
