import { t } from '../../language/words.ts'

/** Converts one of PocketBase's dates to ms since 1970; NaN for ''. */
export const parseDate = (text: string): number => Date.parse(text.replace(' ', 'T'))

/** A time in the format of `datetime-local` inputs, in the browser's time zone: `2026-11-20T08:30`. */
export const formatLocal = (ms: number): string => {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A local time as the server's date; '' for an empty field and for no time at all. */
export function parseLocalTime(local: string): string {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** A choice: now, or later at a local time such as `2026-11-20T08:30`. */
export interface When {
  readonly isLater: boolean
  readonly at: string
}

/** The error of a chosen time; {} if the time is valid. The unchanged time `was` is always valid. */
export function findTimeFault(
  { isLater, at }: When,
  was = '',
  nowMs = Date.now(),
): { at?: string } {
  if (!isLater) return {}
  if (parseLocalTime(at) === '') return { at: t('Choose a day and a time.') }
  return at !== was && new Date(at).getTime() <= nowMs ? { at: t('This time is past.') } : {}
}
