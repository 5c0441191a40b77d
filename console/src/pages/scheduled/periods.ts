import { locale } from '../../language/language.ts'

/** The first and the last day, such as `2026-11-30`; '' for no limit. */
export interface Period {
  readonly from: string
  readonly until: string
}

/** The parameters of a request for a period. */
export const makePeriodQuery = ({ from, until }: Period): Readonly<Record<string, string>> => ({
  ...(from && { from }),
  ...(until && { until }),
})

const DAY_MS = 86_400_000

/** Returns a function from an instant to its day in the time zone, such as `2026-11-30`. */
export function makeDayReader(timeZone: string): (ms: number) => string {
  const iso = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone })
  return (ms) => iso.format(ms)
}

/** Whether a text of the address is a day of the calendar, from 2000 to 2199. */
export const isDay = (text: string): boolean =>
  /^2[01]\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text

/** The day that is some days later. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Monday, as `Intl` numbers days of the week: up to 7 for Sunday. */
const MONDAY = 1
const WEEK_DAYS = 7

interface WeekInfo {
  readonly firstDay: number
}

/** The day on which weeks begin in the region of a locale: 7 in the USA. Monday if that is unknown. */
export function findFirstDay(tag: string): number {
  const locale = new Intl.Locale(tag) as Intl.Locale & {
    readonly weekInfo?: WeekInfo
    getWeekInfo?(): WeekInfo
  }
  if (!locale.region) return MONDAY
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? MONDAY
}

const FIRST_DAY = findFirstDay(locale)

/** Days from the first day of a week to `weekday`, which may be 0 for Sunday. */
export const countFromFirst = (weekday: number, firstDay = FIRST_DAY): number =>
  (weekday - firstDay + WEEK_DAYS) % WEEK_DAYS

/** The week of the day, as weeks begin in the person's region. */
export function findWeek(day: string, firstDay = FIRST_DAY): Period {
  const from = addDays(day, -countFromFirst(new Date(day).getUTCDay(), firstDay))
  return { from, until: addDays(from, 6) }
}

/** The month of the day, from its first to its last day. */
export function findMonth(day: string): Period {
  const [year = 0, month = 0] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return {
    from: `${day.slice(0, 8)}01`,
    until: `${day.slice(0, 8)}${String(last).padStart(2, '0')}`,
  }
}

/** All weeks that a period touches. */
export const fillWeeks = ({ from, until }: Period, firstDay = FIRST_DAY): Period => ({
  from: findWeek(from, firstDay).from,
  until: findWeek(until, firstDay).until,
})

/**
 * The entries in the order of their times. Unless all sends were read (`isWhole`), those of `others` that are
 * after the last send are left out: sends that were not read are between them.
 */
export function mergeEntries<E extends { readonly at: string }>(
  sends: readonly E[],
  others: readonly E[],
  isWhole: boolean,
): E[] {
  const until = isWhole ? undefined : sends.at(-1)?.at
  const between = others.filter(({ at }) => !until || at < until)
  return [...sends, ...between].sort((a, b) => a.at.localeCompare(b.at))
}
