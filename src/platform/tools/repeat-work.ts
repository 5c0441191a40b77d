import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'

/**
 * Repeats `work`, with the pause `rest` in between. Of failures in a row, logs only the first. Returns a
 * function that stops it after the current `work`.
 */
export function repeatWork(
  work: () => Promise<unknown>,
  rest: number | ((ended: AbortSignal) => Promise<void>),
  log: Pick<Logger, 'error'>,
  failure = 'a regular job failed, retrying',
): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const pause =
    typeof rest === 'number'
      ? () => sleep(rest, undefined, { signal }).catch(() => {})
      : () => rest(signal)
  const loop = async () => {
    for (let isFailing = false; !signal.aborted; await pause()) {
      try {
        await work()
        isFailing = false
      } catch (err) {
        if (!isFailing) log.error({ err }, failure)
        isFailing = true
      }
    }
  }
  const running = loop()
  return async () => {
    ending.abort()
    await running
  }
}

/** Returns a function that runs work one at a time, in the order of calls, also after failures. */
export function makeSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

/** A signal to wait for. If `notify` was called first, `wait` ends at once. Several calls count as one. */
export class WakeSignal {
  #isRung = false
  #wake = () => {}

  notify(): void {
    this.#isRung = true
    this.#wake()
  }

  /** Waits for `notify`, at most `ms`, or until `ended` aborts. */
  async wait(ms: number, ended: AbortSignal): Promise<void> {
    if (!this.#isRung && !ended.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        ended.addEventListener('abort', this.notifier, { once: true })
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    ended.removeEventListener('abort', this.notifier)
    this.#isRung = false
  }

  readonly notifier = () => this.notify()
}
