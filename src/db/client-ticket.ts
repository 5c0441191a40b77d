import type { Account } from './client-account.ts'
import type { StatementClient } from './statement-client.ts'

/** How long a statement may hold up other work before it is preempted: the first time, and later. */
const FIRST_GRACE_MS = 100
const LAST_GRACE_MS = 400

/** Why a statement was canceled: it ran too long, its client is gone, or it held up others and may start again. */
export type Verdict = 'late' | 'gone' | 'preempted'

/** One client-shaped statement on its way through the lane. */
export class Ticket {
  readonly client: StatementClient
  readonly account: Account
  readonly limitMs: number
  /** When it was given to the database. */
  startedMs = 0
  /** How long the database has been running it, as last seen: 0 for a short one, and while it waits for the connection. */
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

  /** How long it may hold up other work. It doubles with each new start, unless the account has used much time. */
  get graceMs(): number {
    if (this.account.isHeavy) return FIRST_GRACE_MS
    return Math.min(LAST_GRACE_MS, FIRST_GRACE_MS * 2 ** this.preemptions)
  }

  /** How long it has waited: for its turn, or for the database to begin it. */
  heldUpMs(nowMs: number): number {
    if (this.wake) return nowMs - this.waitingSinceMs
    return this.ranMs > 0 ? 0 : nowMs - this.startedMs
  }
}
