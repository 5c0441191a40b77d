/** Something to wait for: a ring that came before the rest ends it at once, several count as one. */
export class Bell {
  #isRung = false
  #wake = () => {}

  ring(): void {
    this.#isRung = true
    this.#wake()
  }

  /** Waits for a ring, at most `ms`, or until `ended` aborts. */
  async rest(ms: number, ended: AbortSignal): Promise<void> {
    if (!this.#isRung && !ended.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        ended.addEventListener('abort', this.ringer, { once: true })
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    ended.removeEventListener('abort', this.ringer)
    this.#isRung = false
  }

  readonly ringer = () => this.ring()
}
