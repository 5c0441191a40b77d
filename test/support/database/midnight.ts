/** No file of tests takes longer. */
const NEAR_MS = 180_000
const DAY_MS = 86_400_000

const sinceMidnight = () => Date.now() % DAY_MS

/**
 * Waits for midnight UTC when it is near, so that what a file does is all of one day. `isMonth`: of one
 * month, so that only the last night of one counts.
 */
export async function waitPastMidnight({ isMonth = false } = {}): Promise<void> {
  const isLastDay = new Date(Date.now() + DAY_MS).getUTCDate() === 1
  if (DAY_MS - sinceMidnight() > NEAR_MS || (isMonth && !isLastDay)) return
  while (sinceMidnight() > DAY_MS / 2) await new Promise((resolve) => setTimeout(resolve, 1_000))
}
