import { t } from '../language/words.ts'
import { parseDate } from './text/local-time.ts'
import { date } from './text/relative-time.ts'
import { accountZone, HERE } from './time-zones.ts'

/** How a campaign repeats. `cron` is '' if it does not repeat; `until` is '' if it repeats without an end. */
export interface Repeat {
  readonly cron: string
  /** '' for the account's time zone. */
  readonly time_zone: string
  readonly missed: 'once' | 'skip'
  readonly until: string
}

export const ONCE: Repeat = { cron: '', time_zone: '', missed: 'skip', until: '' }

/**
 * The member `repeat` of a request. A time that a person types is of the clock that they see, unless the
 * account has a time zone.
 */
export function makeRepeatRequest(repeat: Repeat): Readonly<Record<string, string>> {
  const time_zone = repeat.time_zone || (accountZone.value === '' ? HERE : '')
  const members = { ...repeat, cron: repeat.cron.trim(), time_zone }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value))
}

/** The usual days on which campaigns repeat, as the last three fields of a cron expression. */
export const DAYS_OF_RUNS = [
  ['* * *', t('Every day')],
  ['* * 1-5', t('Monday to Friday')],
  ['* * 1', t('Every Monday')],
  ['1 * *', t('On the first of each month')],
  ['L * *', t('On the last day of each month')],
] as const

/** Instead of minute and hour in an expression whose time is not chosen yet. The server refuses it. */
export const NO_TIME = ['-', '-'] as const

/** Splits a cron expression into a choice of DAYS_OF_RUNS and a time ('' for none); undefined for others. */
export function describeUsualRuns(
  cron: string,
): { days: string; words: string; time: string } | undefined {
  const [, minute = '', hour = '', days] = /^(\d+|-) (\d+|-) (\S+ \S+ \S+)$/.exec(cron.trim()) ?? []
  const usual = DAYS_OF_RUNS.find(([choice]) => choice === days)
  const time = minute === '-' ? '' : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  return usual && { days: usual[0], words: usual[1], time }
}

/**
 * When a campaign repeats and until when, for example `Every day at 09:00, no end`. Names the time zone if it
 * is not that of the browser.
 */
export function writeRepeatSentence({
  cron,
  until,
  time_zone,
}: Pick<Repeat, 'cron'> & Partial<Repeat>): string {
  const usual = describeUsualRuns(cron)
  const zone = time_zone || accountZone.value || HERE
  const runs = usual ? t('{days} at {time}', { days: usual.words, time: usual.time }) : cron
  const often = zone === HERE ? runs : `${runs} (${zone.replaceAll('_', ' ')})`
  if (!until) return t('{often}, no end', { often })
  return t('{often}, until {day}', { often, day: date.format(parseDate(until)) })
}

/** A cron expression in words, for example `Every day, 09:00`. Returns an unusual expression unchanged. */
export function describeRepeat(cron: string): string {
  const usual = describeUsualRuns(cron)
  return usual ? `${usual.words}, ${usual.time}` : cron
}
