import { TokenBucket } from '../../admission/token-bucket.ts'
import type { StatementClient } from './statement-client.ts'

/** How long a statement may hold up other work before it is preempted: the first time, and later. */
const FIRST_GRACE_MS = 100
const LAST_GRACE_MS = 400
/** The same where its account has used much time. */
const HEAVY_GRACE_MS = 40

/**
 * Why a statement was canceled: it ran too long, its client is gone, or it held up others and may start
 * again.
 */
export type Verdict = 'late' | 'gone' | 'preempted'

/** One client-shaped statement on its way through the lane. */
export class Ticket {
  readonly client: StatementClient
  readonly account: Account
  readonly limitMs: number
  /** When it was given to the database. */
  startedMs = 0
  /**
   * How long the database has been running it, as last seen: 0 for a short one, and while it waits for the
   * connection.
   */
  ranMs = 0
  /** Since when it waits for its turn, and how long it waited before. */
  waitingSinceMs = 0
  waitedMs = 0
  preemptions = 0
  verdict: Verdict | undefined
  /** Set while it waits. */
  wake: { readonly start: () => void; readonly refuse: (error: Error) => void } | undefined

  constructor(client: StatementClient, account: Account, limitMs: number) {
    this.client = client
    this.account = account
    this.limitMs = limitMs
  }

  /**
   * How long it may hold up other work. It doubles with each new start, unless the account has used much
   * time.
   */
  get graceMs(): number {
    if (this.account.isHeavy) return HEAVY_GRACE_MS
    return Math.min(LAST_GRACE_MS, FIRST_GRACE_MS * 2 ** this.preemptions)
  }

  /** How long it has waited: for its turn, or for the database to begin it. */
  heldUpMs(nowMs: number): number {
    if (this.wake) return nowMs - this.waitingSinceMs
    return this.ranMs > 0 ? 0 : nowMs - this.startedMs
  }
}

/** A statement up to this long costs an account nothing: it holds up nobody. */
const FREE_MS = 100
/**
 * Milliseconds that an account's slow statements may use at once and in a second; an account beyond them is
 * heavy.
 */
const SLOW_MS = { burst: 1_000, perSecond: 100 }

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

  /** Counts a statement that has ended: in full if it had to make way. */
  charge({ ranMs, verdict }: Ticket): void {
    if (verdict === 'preempted') this.#slowMs.take(ranMs)
    else if (ranMs > FREE_MS) this.#slowMs.take(ranMs - FREE_MS)
  }
}
