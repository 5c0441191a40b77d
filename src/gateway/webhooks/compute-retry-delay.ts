/** Seconds after the first, second, … failed attempt: 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h. */
export const DELAYS_SECONDS: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
]
/** Delays vary by up to this fraction, so that calls that failed together are not retried together. */
const JITTER = 0.1
export const MAX_RETRY_AFTER_SECONDS = 86_400

/** Seconds until the next attempt, at least `retryAfter`; undefined after the last. `chance`: 0 to 1. */
export function computeNextDelay(
  attempts: number,
  retryAfter = 0,
  chance = Math.random(),
): number | undefined {
  const delay = DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return undefined
  return Math.max(
    delay * (1 - JITTER + 2 * JITTER * chance),
    Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS),
  )
}
