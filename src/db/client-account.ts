import { TokenBucket } from '../token-bucket.ts'
import type { Ticket } from './client-ticket.ts'

/** A statement up to this long costs an account nothing: it holds up nobody. */
const FREE_MS = 100
/** Milliseconds that an account's slow statements may use at once and in a second; an account beyond them is heavy. */
const SLOW_MS = { burst: 2_000, perSecond: 100 }

/** The client-shaped statements of one account, and the time that its slow ones have used. */
export class Account {
  readonly key: string
  readonly waiting: Ticket[] = []
  readonly running: Ticket[] = []
  readonly #slowMs = new TokenBucket(SLOW_MS)

  constructor(key: string) {
    this.key = key
  }

  /** All its statements of late were short. */
  get isQuick(): boolean {
    return this.#slowMs.isFull && this.running.every(({ ranMs }) => ranMs <= FREE_MS)
  }

  /** Heavy accounts have to make way for all others. Statements that still run count. */
  get isHeavy(): boolean {
    const runningMs = this.running.reduce((sum, { ranMs }) => sum + Math.max(0, ranMs - FREE_MS), 0)
    return this.#slowMs.secondsUntil(runningMs) > 0
  }

  /** Nothing is known of it that matters. */
  get isIdle(): boolean {
    return this.running.length === 0 && this.waiting.length === 0 && this.#slowMs.isFull
  }

  /** Counts a statement that has ended. */
  charge(ranMs: number): void {
    if (ranMs > FREE_MS) this.#slowMs.take(ranMs - FREE_MS)
  }
}
