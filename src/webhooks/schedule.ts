/** Seconds after the first, second, … failed attempt: 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h. */
export const DELAYS_SECONDS: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
]
/** Random share to add or subtract, so that calls that failed together are not retried together. */
const JITTER = 0.1
const MAX_RETRY_AFTER_SECONDS = 86_400

/** Seconds to the next attempt; undefined after the last. `retryAfter` only delays. `chance`: 0 to 1. */
export function nextDelay(attempts: number, retryAfter = 0, chance = Math.random()): number | undefined {
  const delay = DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return undefined
  return Math.max(delay * (1 - JITTER + 2 * JITTER * chance), Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS))
}

/** Statuses with which a receiver may ask for time. RFC 9110, 10.2.3; RFC 6585, 4 */
const ASKING_FOR_TIME = new Set([429, 503])

/** Seconds that an answer asks us to wait: its Retry-After, as seconds or as a date. 0 when it does not. */
export function retryAfterOf(status: number, header: string | undefined, now = new Date()): number {
  if (!header || !ASKING_FOR_TIME.has(status)) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const until = Date.parse(header)
  return Number.isNaN(until) ? 0 : Math.max(0, (until - now.getTime()) / 1000)
}
