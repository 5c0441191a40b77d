import { wakeDevices } from '../sms/wake/wake.ts'

/** Interval of a stream's own checks. */
export const USUAL_MS = 15_000

/** The next time that a stream checks whether its phone should pull, as an answer may be lost. */
export class PullCheck {
  readonly #device: string
  #timer: NodeJS.Timeout | undefined
  #afterMs = 0
  #atMs = Infinity
  #isDue = false

  constructor(device: string) {
    this.#device = device
  }

  /** Plans a check after this time. */
  plan(afterMs: number): void {
    const atMs = performance.now() + afterMs
    if (atMs >= this.#atMs) return
    clearTimeout(this.#timer)
    this.#afterMs = afterMs
    this.#atMs = atMs
    this.#timer = setTimeout(() => {
      this.#isDue = true
      this.#atMs = Infinity
      wakeDevices([this.#device])
    }, afterMs)
  }

  /** Plans the next check after twice the time. */
  planNext(): void {
    if (this.#afterMs * 2 < USUAL_MS) this.plan(this.#afterMs * 2)
  }

  /** Whether the wake-up that is being looked at is a planned look. */
  takeDue(): boolean {
    const isDue = this.#isDue
    this.#isDue = false
    return isDue
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
