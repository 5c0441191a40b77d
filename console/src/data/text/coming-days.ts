import { t } from '../../language/words.ts'

const FRIDAY = 5
const MONDAY = 1
const OPENS = 9
const WEEK = 7

export interface NamedTime {
  readonly words: string
  readonly at: Date
}

/** 9:00 in the morning, `days` days after `now`. */
function makeMorning(now: Date, days: number): Date {
  const at = new Date(now)
  at.setDate(at.getDate() + days)
  at.setHours(OPENS, 0, 0, 0)
  return at
}

const countDaysUntil = (now: Date, weekday: number) => ((weekday - now.getDay() + 6) % 7) + 1

const HOUR_MS = 3_600_000

export const makeInAnHour = (now: Date): NamedTime => ({
  words: t('In an hour'),
  at: new Date(now.getTime() + HOUR_MS),
})

/** 9:00 tomorrow, on Friday and on next Monday, the earliest first. Lists a day only once. */
export function listComingDays(now: Date): NamedTime[] {
  const [friday, monday] = [countDaysUntil(now, FRIDAY), countDaysUntil(now, MONDAY)]
  const named: [days: number, words: string][] = [
    [1, t('Tomorrow')],
    [friday, friday === WEEK ? t('In a week') : t('On Friday')],
    [monday, monday === WEEK ? t('In a week') : t('Next Monday')],
  ]
  return named
    .sort(([a], [b]) => a - b)
    .filter(([days], at) => named.findIndex((other) => other[0] === days) === at)
    .map(([days, words]) => ({ words, at: makeMorning(now, days) }))
}
