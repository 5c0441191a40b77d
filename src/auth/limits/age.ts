import { dateOf, formatDate } from '../../fields/types/date.ts'

/** Whether a stored moment lies more than so many seconds in the past. */
export const isOlder = (moment: string, seconds: number) =>
  Date.now() - (dateOf(moment)?.getTime() ?? 0) > seconds * 1000

/** The moment so many seconds ago, in the form in which it is stored. */
export const secondsAgo = (seconds: number) => formatDate(new Date(Date.now() - seconds * 1000))
