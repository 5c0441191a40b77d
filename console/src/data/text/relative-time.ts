import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'

export const STEP_MS = 15_000
const DAY_SECONDS = 86_400
/** Times that are more than this many days away are shown as a date. */
const DAYS_TOLD = 7
const DAY_MS = DAY_SECONDS * 1000

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
export const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' })
export const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
export const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** The time `ms` in words, relative to `nowMs`. A day is one of the local calendar, not 24 hours. */
export function formatRelativeTime(ms: number, nowMs: number): string {
  const seconds = Math.round((ms - nowMs) / 1000)
  const past = Math.abs(seconds)
  // `nowMs` is up to STEP_MS old, so the time of a new record may be after `nowMs`
  if (past < 45) return seconds > STEP_MS / 1000 ? t('in a moment') : t('just now')
  if (past > DAYS_TOLD * DAY_SECONDS) return date.format(ms)
  const days = past < DAY_SECONDS ? 0 : countCalendarDay(ms) - countCalendarDay(nowMs)
  if (days !== 0) return relative.format(days, 'day')
  if (past < 3_600) return relative.format(Math.trunc(seconds / 60) || Math.sign(seconds), 'minute')
  return relative.format(Math.trunc(seconds / 3_600), 'hour')
}

/** The day and hour of `ms`: `tomorrow 9:00 AM`, within a week `Friday 9:00 AM`, else the date. */
export function formatDayAndHour(ms: number, nowMs: number): string {
  const days = countCalendarDay(ms) - countCalendarDay(nowMs)
  if (Math.abs(days) <= 1) return `${relative.format(days, 'day')} ${hour.format(ms)}`
  return days > 1 && days < DAYS_TOLD
    ? `${weekday.format(ms)} ${hour.format(ms)}`
    : dateTime.format(ms)
}

/** Returns a function that writes a date as `options` say, with its year unless that is the present one. */
export function makeShortDate(
  options: Intl.DateTimeFormatOptions,
): (ms: number, nowMs: number) => string {
  const short = new Intl.DateTimeFormat(locale, options)
  const long = new Intl.DateTimeFormat(locale, { ...options, year: 'numeric' })
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: options.timeZone })
  return (ms, nowMs) => (year.format(ms) === year.format(nowMs) ? short : long).format(ms)
}

const month = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
/** A month, from 1, in words: `February`. */
export const nameMonth = (number: number): string => month.format(Date.UTC(2027, number - 1, 1))

const shortDay = makeShortDate({ day: 'numeric', month: 'short', timeZone: 'UTC' })
/** A day such as `2026-11-30` in words: `30 Nov`. */
export const nameDay = (day: string, nowMs: number): string => shortDay(Date.parse(day), nowMs)

/** The number of a local day. Consecutive days have consecutive numbers, even if one of them has 23 hours. */
function countCalendarDay(ms: number): number {
  const at = new Date(ms)
  return Math.round(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / DAY_MS)
}
