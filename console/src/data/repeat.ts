import { t } from '../language/words.ts'

/** When a campaign repeats. `cron` '': it does not; `until` '': without an end. */
export interface Repeat {
  readonly cron: string
  /** '' for that of the account. */
  readonly time_zone: string
  readonly missed: 'once' | 'skip'
  readonly until: string
}

export const ONCE: Repeat = { cron: '', time_zone: '', missed: 'skip', until: '' }

export const repeatRequest = (repeat: Repeat) =>
  Object.fromEntries(Object.entries({ ...repeat, cron: repeat.cron.trim() }).filter(([, value]) => value))

/** The usual days of a repetition: the end of the cron expression. */
export const DAYS_OF_RUNS = [
  ['* * *', t('Every day')],
  ['* * 1-5', t('Monday to Friday')],
  ['* * 1', t('Every Monday')],
  ['1 * *', t('On the first of each month')],
] as const

/** The days and the time of a usual cron expression; undefined for others, such as those with steps. */
export function usualRuns(cron: string): { days: string; words: string; time: string } | undefined {
  const [, minute = '', hour = '', days] = /^(\d+) (\d+) (\S+ \S+ \S+)$/.exec(cron.trim()) ?? []
  const usual = DAYS_OF_RUNS.find(([choice]) => choice === days)
  return (
    usual && { days: usual[0], words: usual[1], time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` }
  )
}

/** A cron expression in words: `Every day, 09:00`. An unusual one stays as it is. */
export function repeatWords(cron: string): string {
  const usual = usualRuns(cron)
  return usual ? `${usual.words}, ${usual.time}` : cron
}
