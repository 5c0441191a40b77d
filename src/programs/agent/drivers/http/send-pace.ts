import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Pauses after a refusal of the account: it needs a person. */
const FIRST_STOP_MS = 60_000
const LONGEST_STOP_MS = 900_000

/** Keeps a carrier's rate, and pauses that grow with refusals in a row. `ended`: called after each pause. */
export function openSendPace(perSecond: number, ended: () => void) {
  let nextMs = 0
  let pausedUntilMs = 0
  let refusals = 0
  let timer: NodeJS.Timeout | undefined

  function pause(firstMs: number, longestMs: number, leastMs = 0): void {
    if (performance.now() < pausedUntilMs) return // another text had the same answer
    const ms = Math.max(Math.min(firstMs * 2 ** refusals++, longestMs), leastMs)
    pausedUntilMs = performance.now() + ms
    clearTimeout(timer)
    timer = setTimeout(ended, ms)
  }

  return {
    /** Waits for the next turn. False if `untilMs` (monotonic clock) passes or `signal` aborts first. */
    async turn(untilMs: number, signal?: AbortSignal): Promise<boolean> {
      for (;;) {
        if (signal?.aborted) return false
        const now = performance.now()
        const at = Math.max(now, pausedUntilMs, nextMs)
        if (at > untilMs) return false
        if (pausedUntilMs <= now) nextMs = at + 1_000 / perSecond
        await sleep(at - now, undefined, signal && { signal }).catch(() => {}) // aborted
        if (pausedUntilMs <= performance.now()) return !signal?.aborted
      }
    },
    isPaused: () => performance.now() < pausedUntilMs,
    /** Whether the last text was refused: then only one text is tried. */
    isTrying: () => refusals > 0,
    busy: (leastMs: number) => pause(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, leastMs),
    stopLine: () => pause(FIRST_STOP_MS, LONGEST_STOP_MS),
    succeeded() {
      refusals = 0
    },
    close: () => clearTimeout(timer),
  }
}
