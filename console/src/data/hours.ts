import { locale } from '../language/language.ts'
import { t } from '../language/words.ts'
import { user_settings } from './collections.ts'

export const DAYS = user_settings.quiet_days.values
type Day = (typeof DAYS)[number]

/** Hours of a day: local times such as `22:00`, '' for none. With empty `days` they apply every day. */
export interface Hours {
  readonly from: string
  readonly to: string
  readonly days: readonly Day[]
}

const short = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
const long = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' })

/** A date on this day of the week: 5 January 2026 was a Monday. */
const makeDate = (day: Day) => new Date(Date.UTC(2026, 0, 5 + DAYS.indexOf(day)))

export const nameDay = (day: Day): string => long.format(makeDate(day))

export const shortenDay = (day: Day): string => short.format(makeDate(day))

const formatTimeOfDay = (at: string) => time.format(new Date(`2026-01-05T${at}Z`))

/** Hours as text in the browser's language: `10:00 PM to 8:00 AM, Sat, Sun`; '' for none. */
export function describeHours({ from, to, days }: Hours): string {
  const hours =
    from && t('{from} to {to}', { from: formatTimeOfDay(from), to: formatTimeOfDay(to) })
  const names = DAYS.filter((day) => days.includes(day)).map(shortenDay)
  return [hours, ...names].filter((part) => part !== '').join(', ')
}

/** Checks typed hours. Returns error messages by field. Two empty times without days are valid. */
export function findHoursFaults({ from, to, days }: Hours): Partial<Record<keyof Hours, string>> {
  const both = t('Set both times, or none.')
  if (from === '' && to !== '') return { from: both }
  if (from !== '' && to === '') return { to: both }
  if (from === '' && days.length > 0)
    return { from: t('Set the times for these days, too; a whole day is from 00:00 to 23:59.') }
  if (from !== '' && from === to) return { to: t('The two times are the same.') }
  return {}
}
