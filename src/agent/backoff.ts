import { setTimeout as sleep } from 'node:timers/promises'
import { mayPass } from './server.ts'

const FIRST_MS = 500
/** Retry quickly at first: after a restart the server is used again within 2 s. */
const YOUNG_MS = 1_000
const YOUNG_TRIES = 60
const LONGEST_MS = 30_000

/** Pauses between retries that grow, with jitter, so that agents do not return all at once. */
export class Backoff {
  #tries = 0

  /** Waits before the next try; ends early when `signal` aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const longest = longestPause(this.#tries++)
    await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {}) // aborted
  }

  /** Call after a success: the next failure starts with a short pause. */
  reset(): void {
    this.#tries = 0
  }
}

const longestPause = (tries: number) =>
  tries < YOUNG_TRIES
    ? Math.min(YOUNG_MS, FIRST_MS * 2 ** tries)
    : Math.min(LONGEST_MS, YOUNG_MS * 2 ** (tries - YOUNG_TRIES))

/** Repeats `work` until `ended`, after failures that may pass with growing pauses. Throws others. */
export async function persist(work: () => Promise<void>, ended: AbortSignal): Promise<void> {
  const backoff = new Backoff()
  while (!ended.aborted) {
    try {
      await work()
      backoff.reset()
    } catch (error) {
      if (!mayPass(error)) throw error
      await backoff.pause(ended)
    }
  }
}
