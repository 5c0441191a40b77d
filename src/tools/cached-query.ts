/**
 * An answer counts for so many times the time it took, so that asking takes a twentieth of the database at
 * most.
 */
const REST = 20
const MAX_MS = 15_000

/**
 * A question to the database that many may ask: its answer is kept for `atLeastMs`, longer if it took long,
 * and who asks meanwhile gets the same. A failure is kept for `atLeastMs`.
 */
export function cachedQuery<T>(ask: () => Promise<T>, atLeastMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined
  let untilMs = 0
  return () => {
    if (answer && performance.now() < untilMs) return answer
    const beganMs = performance.now()
    untilMs = Number.POSITIVE_INFINITY // one at a time
    const keep = (ms: number) => {
      untilMs = performance.now() + ms
    }
    answer = ask()
    answer.then(
      () => keep(Math.max(atLeastMs, Math.min(MAX_MS, (performance.now() - beganMs) * REST))),
      () => keep(atLeastMs),
    )
    return answer
  }
}
