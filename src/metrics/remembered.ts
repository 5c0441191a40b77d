/** An answer counts for so many times the time it took, so that asking takes a twentieth of the database at most. */
const REST = 20

/**
 * A question to the database that many may ask: its answer is kept for `atLeastMs`, longer if it took long, and who
 * asks meanwhile gets the same. A failure is kept as well.
 */
export function remembered<T>(ask: () => Promise<T>, atLeastMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined
  let untilMs = 0
  return () => {
    if (answer && performance.now() < untilMs) return answer
    const beganMs = performance.now()
    untilMs = Number.POSITIVE_INFINITY // one at a time
    const done = () => {
      const endedMs = performance.now()
      untilMs = endedMs + Math.max(atLeastMs, (endedMs - beganMs) * REST)
    }
    answer = ask().finally(done)
    return answer
  }
}
