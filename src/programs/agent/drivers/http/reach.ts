/** So many requests in a row, for so long, must fail before their carrier counts as out of reach. */
const FAILURES = 5
const LONG_MS = 60_000

/** Notices that a carrier cannot be reached: a wrong name or address, or nobody listens. */
export function watchReach(longMs = LONG_MS) {
  let failures = 0
  let sinceMs = 0
  return {
    /** Counts a request that did not reach the carrier. Whether the carrier now counts as out of reach. */
    missed(nowMs = performance.now()): boolean {
      if (failures++ === 0) sinceMs = nowMs
      return failures >= FAILURES && nowMs - sinceMs >= longMs
    },
    reached(): void {
      failures = 0
    },
  }
}
