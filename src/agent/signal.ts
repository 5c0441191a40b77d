/** Something to wait for: several calls of `give` before a `wait` count as one. */
export class Signal {
  #isGiven = false
  #wake = () => {}

  readonly give = (): void => {
    this.#isGiven = true
    this.#wake()
  }

  /** Until `give`, at most `ms`, or until `ended` aborts. */
  async wait(ms: number, ended: AbortSignal): Promise<void> {
    if (!this.#isGiven && !ended.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        ended.addEventListener('abort', this.give, { once: true })
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    ended.removeEventListener('abort', this.give)
    this.#isGiven = false
  }
}
