import { counts } from '../../counts.ts'
import { badRequest, RetryLater } from '../../errors.ts'
import type { IsOver } from '../backend.ts'
import { isSqlError, QUERY_CANCELED } from '../errors.ts'
import { STATEMENT_TIMEOUT_MS } from '../limits.ts'
import { Account, Ticket } from './client-ticket.ts'
import type { StatementClient } from './statement-client.ts'

/** Statements of one account that run at a time, once one of them was slow. */
const RUNNING_PER_ACCOUNT = 3
/** Slots that an account leaves to others while all its statements are short. */
const LEFT_TO_OTHERS = 2
/** Statements that wait: of one account, and of all together, which share that evenly. */
const WAITING_PER_ACCOUNT = 100
const WAITING = 2_000
const MAX_WAIT_MS = 10_000
/** How often a statement that had to make way is started again. */
const MAX_PREEMPTIONS = 8
/** After a preemption no statement of an account with slow ones starts for so long. */
const REST_MS = 200
const LOOK_MS = 50
const RETRY_SECONDS = 5
/** Accounts that are known, before those are forgotten that have used nothing lately. */
const MANY_ACCOUNTS = 1_000

/** Runs a statement, and cancels it (SQLSTATE 57014) when `isOver` says so. See Backend.interruptible. */
type Run<T> = (isOver: IsOver) => Promise<T>

/** What a lane may take of a database. */
export interface LaneLimits {
  /** Statements given to the database at a time. */
  readonly slots: number
  /** How long one may run, but for superusers. */
  readonly limitMs: number
}

/**
 * Client-shaped statements run here, a few at a time, so that they never take all connections. Accounts take
 * turns. One whose slow statements used much time lately is heavy: heavy accounts together get a quarter of
 * the slots. A statement that holds up others is canceled and starts again later, so only statements that
 * read may come here.
 */
export class ClientLane {
  readonly #limits: LaneLimits
  readonly #accounts = new Map<string, Account>()
  /** Accounts with statements that wait; the next in turn is the first. */
  readonly #queue = new Map<string, Account>()
  // no Set: what was in one stays in memory until the next full garbage collection, here with a whole answer
  readonly #running: Ticket[] = []
  #waiting = 0
  #restUntilMs = 0
  #watch: NodeJS.Timeout | undefined

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  get use(): Readonly<Record<'running' | 'waiting', number>> {
    return { running: this.#running.length, waiting: this.#waiting }
  }

  /**
   * Throws what the statement throws; RetryLater (429) when too many wait, when it waited too long, or was
   * preempted too often. A statement whose client is gone fails.
   */
  async run<T>(client: StatementClient, statement: Run<T>): Promise<T> {
    const limitMs = client.isSuperuser ? STATEMENT_TIMEOUT_MS : this.#limits.limitMs
    const ticket = new Ticket(client, this.#accountOf(client.account), limitMs)
    for (;;) {
      const { account } = ticket
      if (account.waiting.length === 0 && this.#mayStart(account)) this.#start(ticket)
      else await this.#wait(ticket)
      try {
        return await statement((ranMs) => this.#isOver(ticket, ranMs))
      } catch (error) {
        if (!isSqlError(error, QUERY_CANCELED)) throw error
        this.#preempted(ticket, error)
      } finally {
        this.#finish(ticket)
      }
    }
  }

  /** Returns when a canceled statement may start again. */
  #preempted(ticket: Ticket, error: Error): void {
    if (ticket.verdict) counts.clientStatements[ticket.verdict]++
    if (ticket.verdict !== 'preempted') throw error
    this.#restUntilMs = performance.now() + REST_MS
    if (++ticket.preemptions > MAX_PREEMPTIONS) throw refused()
  }

  #accountOf(key: string): Account {
    const known = this.#accounts.get(key)
    if (known) return known
    if (this.#accounts.size >= MANY_ACCOUNTS) this.#forget()
    const account = new Account(key)
    this.#accounts.set(key, account)
    return account
  }

  #forget(): void {
    for (const [key, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(key)
  }

  #mayStart(account: Account): boolean {
    if (this.#running.length >= this.#limits.slots) return false
    if (account.running.length >= this.#maxRunning(account)) return false
    if (account.isQuick) return true
    if (performance.now() < this.#restUntilMs) return false
    return !account.isHeavy || this.#heavyRunning().length < Math.max(1, this.#limits.slots >> 2)
  }

  #heavyRunning(): Ticket[] {
    return this.#running.filter(({ account }) => account.isHeavy)
  }

  #start(ticket: Ticket): void {
    ticket.verdict = undefined
    ticket.startedMs = performance.now()
    ticket.account.running.push(ticket)
    this.#running.push(ticket)
  }

  #finish(ticket: Ticket): void {
    remove(ticket.account.running, ticket)
    remove(this.#running, ticket)
    ticket.account.charge(ticket)
    ticket.ranMs = 0
    if (this.#queue.size > 0) this.#startNext()
  }

  #wait(ticket: Ticket): Promise<void> {
    const { account } = ticket
    const accounts = this.#queue.size + (this.#queue.has(account.key) ? 0 : 1)
    const room = Math.min(WAITING_PER_ACCOUNT, Math.max(1, Math.floor(WAITING / accounts)))
    if (account.waiting.length >= room) throw refused()
    return new Promise((start, refuse) => {
      ticket.waitingSinceMs = performance.now()
      ticket.wake = { start, refuse }
      account.waiting.push(ticket)
      this.#queue.set(account.key, account)
      this.#waiting++
      this.#watch ??= setInterval(() => this.#look(), LOOK_MS)
    })
  }

  /** Starts whatever may start: accounts in turn, those that are not heavy first. */
  #startNext(): void {
    while (this.#running.length < this.#limits.slots) {
      const ready = [...this.#queue.values()].filter((account) => this.#mayStart(account))
      const next = ready.find((account) => !account.isHeavy) ?? ready[0]
      if (!next) return
      const ticket = next.waiting[0]!
      const { start } = this.#leave(ticket)
      // to the end of the line
      if (this.#queue.delete(next.key) && next.waiting.length > 0) this.#queue.set(next.key, next)
      this.#start(ticket)
      start()
    }
  }

  /** Takes a statement out of the queue. */
  #leave(ticket: Ticket): NonNullable<Ticket['wake']> {
    const { account, wake } = ticket
    remove(account.waiting, ticket)
    if (account.waiting.length === 0) this.#queue.delete(account.key)
    ticket.waitedMs += performance.now() - ticket.waitingSinceMs
    ticket.wake = undefined
    this.#waiting--
    return wake!
  }

  /** Ends the waiting of those that are gone or have waited too long. */
  #look(): void {
    const nowMs = performance.now()
    for (const ticket of [...this.#queue.values()].flatMap(({ waiting }) => waiting)) {
      const isGone = ticket.client.isGone()
      if (!isGone && ticket.waitedMs + nowMs - ticket.waitingSinceMs < MAX_WAIT_MS) continue
      this.#leave(ticket).refuse(isGone ? badRequest() : refused())
    }
    this.#startNext()
    if (this.#queue.size > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** Whether to cancel a statement that runs. */
  #isOver(ticket: Ticket, ranMs: number): boolean {
    ticket.ranMs = ranMs
    if (ticket.client.isGone()) ticket.verdict = 'gone'
    else if (ranMs > ticket.limitMs) ticket.verdict = 'late'
    else if (this.#isTooMany(ticket) || this.#holdsUpOthers(ticket)) ticket.verdict = 'preempted'
    return ticket.verdict !== undefined
  }

  /** One of those that its account started while all were short, and may not run now that one is slow. */
  #isTooMany(ticket: Ticket): boolean {
    const { account } = ticket
    return account.running.indexOf(ticket) >= this.#maxRunning(account)
  }

  /** Statements that an account may run at a time. */
  #maxRunning({ isQuick }: Account): number {
    return isQuick ? Math.max(RUNNING_PER_ACCOUNT, this.#limits.slots - LEFT_TO_OTHERS) : RUNNING_PER_ACCOUNT
  }

  /** Another client may wait twice as long as other work. */
  #holdsUpOthers(ticket: Ticket): boolean {
    const nowMs = performance.now()
    const { graceMs } = ticket
    if (this.#running.length < this.#limits.slots || this.#longestHeavy() !== ticket) return false
    const first = [...this.#queue.values()].map(({ waiting }) => waiting[0]!)
    return [...first, ...this.#running].some(
      (other) =>
        other.account !== ticket.account && !other.account.isHeavy && other.heldUpMs(nowMs) > 2 * graceMs,
    )
  }

  /** One of them at a time makes way. */
  #longestHeavy(): Ticket | undefined {
    return this.#heavyRunning().sort((a, b) => b.ranMs - a.ranMs)[0]
  }
}

function remove(tickets: Ticket[], ticket: Ticket): void {
  tickets.splice(tickets.indexOf(ticket), 1)
}

function refused(): RetryLater {
  counts.clientStatements.refused++
  return new RetryLater(429, RETRY_SECONDS, 'Too many slow requests of yours are at work')
}
