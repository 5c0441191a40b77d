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
