/** Maximum uninterrupted work on the event loop. */
const SLICE_MS = 4

/** Divides long work into slices. After a long one, the event loop is free as long, up to `maxRestMs`. */
export class EventLoopSlices {
  readonly #maxRestMs: number
  readonly #waiting: (() => void)[] = []
  #beganAtMs = 0
  #state: 'free' | 'working' | 'resting' = 'free'

  constructor(maxRestMs = SLICE_MS) {
    this.#maxRestMs = maxRestMs
  }

  /** Whether work must call `next` before it continues. Starts a slice if none runs. */
  get isUsedUp(): boolean {
    if (this.#state === 'working') return performance.now() - this.#beganAtMs > SLICE_MS
    if (this.#state === 'resting') return true
    this.#begin()
    return false
  }

  /** Resolves when the caller's slice begins, in order of calls. The caller must then work immediately. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#state === 'free') this.#admit()
    })
  }

  #begin(): void {
    this.#state = 'working'
    this.#beganAtMs = performance.now()
    setImmediate(() => this.#end())
  }

  #end(): void {
    const tookMs = performance.now() - this.#beganAtMs
    const restMs = tookMs > SLICE_MS ? Math.min(tookMs, this.#maxRestMs) : 0
    this.#state = 'resting'
    if (restMs > 0) setTimeout(() => this.#admit(), restMs)
    else this.#admit()
  }

  #admit(): void {
    this.#state = 'free'
    const first = this.#waiting.shift()
    if (!first) return
    this.#begin()
    first()
  }
}
