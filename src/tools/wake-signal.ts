/** A signal to wait for. A ring before the wait ends it at once; several rings count as one. */
export class WakeSignal {
  #isRung = false
  #wake = () => {}

  notify(): void {
    this.#isRung = true
    this.#wake()
  }

  /** Waits for a ring, at most `ms`, or until `ended` aborts. */
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
