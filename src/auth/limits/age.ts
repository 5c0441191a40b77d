import { dateOf, formatDate } from '../../fields/types/date.ts'

/** Whether a stored date is more than this many seconds ago. */
export const isOlder = (moment: string, seconds: number) =>
  Date.now() - (dateOf(moment)?.getTime() ?? 0) > seconds * 1000

/** The date this many seconds ago, in stored form. */
export const secondsAgo = (seconds: number) => formatDate(new Date(Date.now() - seconds * 1000))
