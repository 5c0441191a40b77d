import { TokenBucket } from '../../admission/token-bucket.ts'
import type { Budgets } from '../limits/budgets.ts'
import type { Topic } from './topic.ts'

/** Statements over their limit within `PENALTY_MS` after which an owner's options are refused for as long. */
const MAX_STRIKES = 3
const PENALTY_MS = 60_000

/** Whoever pays for subscriptions: an account, or the network address of guests. */
export class Owner {
  readonly key: string
  readonly isGuest: boolean
  /** With the number of clients that are subscribed to each. */
  readonly topics = new Map<Topic, number>()
  readonly shapes = new Map<string, number>()
  bytes = 0
  /** Of the changes that wait for this owner's filters. */
  waitingBytes = 0
  /** How long the database has worked on its filters and expands, in all. */
  databaseMs = 0
  readonly bucket: TokenBucket
  #slowUntil = 0
  #refusedUntil = 0
  #strikes: number[] = []

  constructor(key: string, isGuest: boolean, budgets: Budgets) {
    this.key = key
    this.isGuest = isGuest
    this.bucket = new TokenBucket(budgets)
  }

  /** For messages: `of your account`, `from your address`. */
  get possessive(): string {
    return this.isGuest ? 'from your address' : 'of your account'
  }

  /** True if one of its statements took long within the last minute: they then go last. */
  get isSlow(): boolean {
    return performance.now() < this.#slowUntil
  }

  /** True if nothing is lost when this owner is forgotten, once it has no clients. */
  get isForgettable(): boolean {
    return this.bucket.isFull && this.refusedSeconds === 0 && !this.isSlow
  }

  /** Seconds for which topics with options are refused. */
  get refusedSeconds(): number {
    return Math.max(0, Math.ceil((this.#refusedUntil - performance.now()) / 1000))
  }

  /** The database has worked so long for it. */
  noteWork(ms: number, isSlow: boolean): void {
    this.databaseMs += ms
    if (isSlow) this.#slowUntil = performance.now() + PENALTY_MS
  }

  /** A statement of this owner ran over its limit. True if its options are refused from now on. */
  strike(): boolean {
    const now = performance.now()
    this.#strikes = [...this.#strikes.filter((at) => now - at < PENALTY_MS), now]
    if (this.#strikes.length < MAX_STRIKES) return false
    this.#strikes = []
    this.#refusedUntil = now + PENALTY_MS
    return true
  }
}
