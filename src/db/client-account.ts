import type { Ticket } from './client-ticket.ts'

/** A statement up to this long costs an account nothing: it holds up nobody. */
const FREE_MS = 100
/** An account is heavy when its slow statements have used more than this, less what has drained since. */
const HEAVY_MS = 2_000
/** How many milliseconds of used time drain in a millisecond. */
const DRAIN = 0.1

/** The client-shaped statements of one account, and the time that its slow ones have used. */
export class Account {
  readonly key: string
  readonly waiting: Ticket[] = []
  readonly running: Ticket[] = []
  #usedMs = 0
  #atMs = 0

  constructor(key: string) {
    this.key = key
  }

  /** Counts a statement that has ended. */
  charge(ranMs: number, nowMs: number): void {
    if (ranMs <= FREE_MS) return
    this.#usedMs = this.#drained(nowMs) + ranMs - FREE_MS
    this.#atMs = nowMs
  }

  /** All its statements of late were short. */
  isQuick(nowMs: number): boolean {
    return this.#drained(nowMs) === 0 && this.running.every(({ ranMs }) => ranMs <= FREE_MS)
  }

  /** Heavy accounts have to make way for all others. Statements that still run count. */
  isHeavy(nowMs: number): boolean {
    let usedMs = this.#drained(nowMs)
    for (const { ranMs } of this.running) usedMs += Math.max(0, ranMs - FREE_MS)
    return usedMs > HEAVY_MS
  }

  /** Nothing is known of it that matters. */
  isIdle(nowMs: number): boolean {
    return this.running.length === 0 && this.waiting.length === 0 && this.#drained(nowMs) === 0
  }

  #drained(nowMs: number): number {
    return Math.max(0, this.#usedMs - (nowMs - this.#atMs) * DRAIN)
  }
}
