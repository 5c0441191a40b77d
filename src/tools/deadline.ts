/** Returns a function that returns how many of `ms` milliseconds are left. */
export function countdown(ms: number): () => number {
  const endMs = performance.now() + ms
  return () => Math.max(0, endMs - performance.now())
}

/** Waits for work to finish or fail, at most `ms`. */
export const atMost = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  within(work, ms).catch(() => {})

/** Rejects if `work` does not finish in time. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
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
