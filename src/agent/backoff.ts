import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 500
/** While an outage is young, as that of a restart: who waits for us is served within 2 s of its end. */
const YOUNG_MS = 1_000
const YOUNG_TRIES = 60
const LONGEST_MS = 30_000

/** Pauses between tries that get longer, with chance in them: after an outage not everybody comes at once. */
export class Backoff {
  #tries = 0

  /** Waits before the next try; less when `signal` aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const longest = longestPause(this.#tries++)
    await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {}) // aborted
  }

  /** It worked: the next failure starts small. */
  reset(): void {
    this.#tries = 0
  }
}

const longestPause = (tries: number) =>
  tries < YOUNG_TRIES
    ? Math.min(YOUNG_MS, FIRST_MS * 2 ** tries)
    : Math.min(LONGEST_MS, YOUNG_MS * 2 ** (tries - YOUNG_TRIES))
