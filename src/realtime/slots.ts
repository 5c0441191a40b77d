/** A semaphore with two classes: `slow` work has a part of the places and goes behind all other. */
export class Slots {
  readonly #max: number
  readonly #maxSlow: number
  readonly #waiting: (() => void)[] = []
  readonly #waitingSlow: (() => void)[] = []
  #running = 0
  #runningSlow = 0

  constructor(max: number, maxSlow: number) {
    this.#max = max
    this.#maxSlow = maxSlow
  }

  async run<T>(isSlow: boolean, work: () => Promise<T>): Promise<T> {
    await this.#enter(isSlow)
    try {
      return await work()
    } finally {
      this.#running--
      if (isSlow) this.#runningSlow--
      this.#admit()
    }
  }

  #enter(isSlow: boolean): Promise<void> {
    return new Promise((resolve) => {
      ;(isSlow ? this.#waitingSlow : this.#waiting).push(resolve)
      this.#admit()
    })
  }

  #admit(): void {
    while (this.#running < this.#max) {
      const isSlow = this.#waiting.length === 0 && this.#runningSlow < this.#maxSlow
      const next = isSlow ? this.#waitingSlow.shift() : this.#waiting.shift()
      if (!next) return
      this.#running++
      if (isSlow) this.#runningSlow++
      next()
    }
  }
}
