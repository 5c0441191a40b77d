/** For how long one call may block the event loop, in milliseconds of processor time. */
export const MAX_BLOCK_MS = 50

const TICK_MS = 1
/** A call that seems too slow is measured again: the processor may have been cold, or shared. */
const TRIES = 5

/** Milliseconds of processor time of this thread: other threads and programs count for nothing. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const yardstick = JSON.stringify(Array.from({ length: 50_000 }, (_, i) => [`text ${i}`, i]))
/** What parsing the yardstick takes on the machine of the bound, two cores of a server, when it is idle. */
const YARDSTICK_MS = 5
const MAX_SLOWNESS = 4

/**
 * By how much the processor is slower now, at least 1: one that is shared with other programs has less of its
 * cache, and slower memory.
 */
function slowness(): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    const before = threadMs()
    JSON.parse(yardstick)
    best = Math.min(best, threadMs() - before)
  }
  return Math.min(MAX_SLOWNESS, Math.max(1, best / YARDSTICK_MS))
}

/** The longest time, in processor milliseconds, for which `work` kept this thread's event loop. */
async function longestBlock(work: () => unknown): Promise<number> {
  await new Promise(setImmediate)
  let [longest, before] = [0, threadMs()]
  const tick = () => {
    const now = threadMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  const timer = setInterval(tick, TICK_MS)
  try {
    await work()
  } catch {
    // a refusal is an answer: only its time counts
  } finally {
    clearInterval(timer)
    tick()
  }
  return longest
}

/** One measurement, for a search. */
export { longestBlock as roughBlockMs }

/** For how long `work` keeps the event loop, on an idle machine: the best of some tries. */
export async function blockMs(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES && best > MAX_BLOCK_MS; i++) {
    const ms = await longestBlock(work)
    best = Math.min(best, ms > MAX_BLOCK_MS ? ms / slowness() : ms)
  }
  return best
}
