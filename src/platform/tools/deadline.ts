/** Starts a countdown of `ms` milliseconds. Returns a function that returns how many are left. */
export function startCountdown(ms: number): () => number {
  const endMs = performance.now() + ms
  return () => Math.max(0, endMs - performance.now())
}

/** Waits until work finishes or fails, at most `ms`. Never rejects. */
export const waitAtMost = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  limitTime(work, ms).catch(() => {})

/** The result of `work`. Rejects if `work` takes longer than `ms`. */
export async function limitTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
