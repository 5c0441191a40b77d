/** Requests at a time. */
const LANES = 6

/** Processes items in order, a few at a time. Starts no more once `stop` aborts. */
export async function inLanes<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  const waiting = items.values()
  const lane = async () => {
    for (const item of waiting) {
      if (stop?.aborted) return
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
