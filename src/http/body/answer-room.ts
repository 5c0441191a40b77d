import { RetryLater } from '../../errors.ts'
import { MAX_ANSWER_BYTES } from '../../request/answer-meter.ts'

/**
 * What large answers may take in memory together, from when they are made until their clients have read them.
 */
const TOTAL_BYTES = 64 << 20
/** The same of one account, or of one address of guests. */
const SHARE_BYTES = MAX_ANSWER_BYTES
/** So much of each holder does not wait for others, up to EXTRA_BYTES beyond the total. */
const FIRST_BYTES = 1 << 20
const EXTRA_BYTES = 32 << 20
/** How long an answer waits for room. */
const PATIENCE_MS = 15_000
/** Others may wait for a client that reads slowly; after this time it is cut off while they do. */
const GRACE_MS = 5_000
const CHECK_MS = 500
const RETRY_SECONDS = 10

interface Limits {
  readonly totalBytes: number
  readonly shareBytes: number
  readonly patienceMs: number
  readonly graceMs: number
}

const LIMITS: Limits = {
  totalBytes: TOTAL_BYTES,
  shareBytes: SHARE_BYTES,
  patienceMs: PATIENCE_MS,
  graceMs: GRACE_MS,
}

interface Waiting {
  readonly hold: Hold
  readonly bytes: number
  readonly enter: () => void
}

/** Memory for large answers, shared fairly: who holds least is next, and who holds most is cut off first. */
export class AnswerRoom {
  readonly #limits: Limits
  readonly #byHolder = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  readonly #sending = new Set<Hold>()
  #taken = 0
  #watch: NodeJS.Timeout | undefined

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Bytes that are taken now. */
  get taken(): number {
    return this.#taken
  }

  /** A place for one answer, still empty. `cut` ends its connection; the hold has to be released after it. */
  open(holder: string, cut: () => void): Hold {
    return new Hold(this, holder, cut)
  }

  /** Makes the hold `bytes` large if that is possible now. */
  tryTake(hold: Hold, bytes: number): boolean {
    const isFree = bytes <= hold.bytes || (this.#fits(hold, bytes) && !this.#isContended(hold, bytes))
    if (isFree) this.#set(hold, bytes)
    return isFree
  }

  /**
   * The same, later if need be. Throws 429 when the holder's own answers take too much, 503 when everybody's
   * do.
   */
  take(hold: Hold, bytes: number): Promise<void> {
    // who waits holds nothing, so that nobody waits for each other
    this.#set(hold, 0)
    if (this.tryTake(hold, bytes)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(late)
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      }
      const waiting: Waiting = {
        hold,
        bytes,
        enter: () => {
          leave()
          this.#set(hold, bytes)
          resolve()
        },
      }
      const late = setTimeout(() => {
        leave()
        reject(this.#refusal(hold, bytes))
        this.#admit()
      }, this.#limits.patienceMs)
      this.#waiting.push(waiting)
      this.#watch ??= setInterval(() => this.#relieve(), CHECK_MS)
    })
  }

  /**
   * Makes the hold `bytes` large in any case: unread answers of its holder give way, then those of who holds
   * most.
   */
  force(hold: Hold, bytes: number): void {
    this.#set(hold, bytes)
    while (this.#ofHolder(hold) > this.#limits.shareBytes && this.#cut([hold.holder], hold)) {
      // the oldest goes first
    }
    while (this.#taken > this.#limits.totalBytes + EXTRA_BYTES && this.#cut(this.#holders(), hold)) {
      // the oldest of who holds most goes first
    }
  }

  /** From now on the client has to read it. */
  startSending(hold: Hold): void {
    this.#sending.add(hold)
  }

  release(hold: Hold): void {
    this.#sending.delete(hold)
    this.#set(hold, 0)
    this.#admit()
  }

  #set(hold: Hold, bytes: number): void {
    const added = bytes - hold.bytes
    if (added === 0) return
    hold.bytes = bytes
    this.#taken += added
    const left = this.#ofHolder(hold) + added
    if (left > 0) this.#byHolder.set(hold.holder, left)
    else this.#byHolder.delete(hold.holder)
    if (added < 0) this.#admit()
  }

  #ofHolder({ holder }: Hold): number {
    return this.#byHolder.get(holder) ?? 0
  }

  #fitsShare(hold: Hold, bytes: number): boolean {
    return this.#ofHolder(hold) - hold.bytes + bytes <= this.#limits.shareBytes
  }

  #isFirst(hold: Hold, bytes: number): boolean {
    return this.#ofHolder(hold) - hold.bytes + bytes <= FIRST_BYTES
  }

  #fits(hold: Hold, bytes: number): boolean {
    const taken = this.#taken - hold.bytes + bytes
    const max = this.#limits.totalBytes + (this.#isFirst(hold, bytes) ? EXTRA_BYTES : 0)
    return taken <= max && this.#fitsShare(hold, bytes)
  }

  /** Somebody else waits for the same room. */
  #isContended(hold: Hold, bytes: number): boolean {
    return !this.#isFirst(hold, bytes) && this.#waiting.some((one) => this.#fitsShare(one.hold, one.bytes))
  }

  #next(): Waiting | undefined {
    return this.#waiting
      .filter(({ hold, bytes }) => this.#fitsShare(hold, bytes))
      .sort((a, b) => this.#ofHolder(a.hold) - this.#ofHolder(b.hold))[0]
  }

  #admit(): void {
    for (let next = this.#next(); next && this.#fits(next.hold, next.bytes); next = this.#next()) next.enter()
    if (this.#waiting.length > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** Somebody waits: who holds more and reads slowly is cut off. */
  #relieve(): void {
    const next = this.#next()
    if (!next) return
    const least = this.#ofHolder(next.hold)
    const more = this.#holders().filter((holder) => this.#byHolder.get(holder)! > least)
    this.#cut(more, next.hold, performance.now() - this.#limits.graceMs)
  }

  /** Holders, the one who has most first. */
  #holders(): string[] {
    return [...this.#byHolder].sort(([, a], [, b]) => b - a).map(([holder]) => holder)
  }

  /** Cuts off the oldest answer of the first of these holders who has one that was begun before `sinceMs`. */
  #cut(holders: readonly string[], except: Hold, sinceMs = Number.POSITIVE_INFINITY): boolean {
    for (const holder of holders) {
      for (const one of this.#sending) {
        if (one.holder !== holder || one === except || one.sinceMs > sinceMs) continue
        one.cut()
        this.release(one)
        return true
      }
    }
    return false
  }

  #refusal(hold: Hold, bytes: number): RetryLater {
    return this.#fitsShare(hold, bytes)
      ? new RetryLater(503, RETRY_SECONDS, 'Too many large answers at once')
      : new RetryLater(429, RETRY_SECONDS, 'Too many large answers of yours are unread')
  }
}

/** What one answer takes. */
export class Hold {
  readonly #room: AnswerRoom
  readonly holder: string
  readonly cut: () => void
  /** Set by the room alone. */
  bytes = 0
  sinceMs = 0
  #isOver = false

  constructor(room: AnswerRoom, holder: string, cut: () => void) {
    this.#room = room
    this.holder = holder
    this.cut = cut
  }

  /** Takes room for `bytes` in all, if there is any now. */
  tryTake(bytes: number): boolean {
    return !this.#isOver && this.#room.tryTake(this, bytes)
  }

  /** The same, later if need be. Throws 429 or 503 when that takes too long. */
  async take(bytes: number): Promise<void> {
    if (!this.#isOver) await this.#room.take(this, bytes)
    if (!this.#isOver) return
    this.#room.release(this)
    throw new RetryLater(503, RETRY_SECONDS, 'The client is gone')
  }

  /** The answer is `bytes` long, and has to be sent: others give way. */
  force(bytes: number): void {
    if (!this.#isOver) this.#room.force(this, bytes)
  }

  /** The answer is made. */
  startSending(): void {
    this.sinceMs = performance.now()
    if (!this.#isOver) this.#room.startSending(this)
  }

  /** The answer was read, or nobody will read it. */
  release(): void {
    this.#isOver = true
    this.#room.release(this)
  }
}

/** That of this process. */
export const answerRoom = new AnswerRoom()
