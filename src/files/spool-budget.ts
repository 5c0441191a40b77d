import { RetryLater } from '../errors.ts'

/**
 * Bytes that the temporary files of all requests may have together, unless one request alone may have more.
 */
const MAX_BYTES = 256 << 20
/** Senders of requests that are nearly complete get this long to finish before anybody is evicted. */
const GRACE_MS = 250
/** How long a request waits for room. */
const WAIT_MS = 10_000
const RETRY_SECONDS = 10
/** A sender is slow when it sends fewer bytes than this in a window: less than 10 kB/s. */
const WINDOW_MS = 30_000
const WINDOW_BYTES = 300_000

/** Who sends a request body, and how large the body may become. */
export interface Sender {
  /** An account or a guest's network. */
  readonly holder: string
  readonly maxBytes: number
}

/** What one request has of the budget. */
export interface Share extends Sender {
  bytes: number
  isReceiving: boolean
  windowStartMs: number
  windowBytes: number
  /** Ends the request with this answer and frees its temporary file. */
  readonly evict: (answer: RetryLater) => void
}

interface Waiting {
  readonly share: Share
  readonly bytes: number
  readonly settle: (error?: Error) => void
}

/**
 * A limit on the temporary files of a process, shared fairly between holders. When it is reached, the holder
 * with the most bytes loses a request, then slow senders lose theirs. Whoever still finds no room waits, then
 * gets a 429 or 503 with Retry-After.
 */
export class SpoolBudget {
  readonly #maxBytes: number
  readonly #waitMs: number
  readonly #shares = new Set<Share>()
  readonly #waiting = new Set<Waiting>()
  #used = 0

  constructor(maxBytes = MAX_BYTES, waitMs = WAIT_MS) {
    this.#maxBytes = maxBytes
    this.#waitMs = waitMs
  }

  open({ holder, maxBytes }: Sender, evict: (answer: RetryLater) => void): Share {
    const window = { windowStartMs: performance.now(), windowBytes: 0 }
    const share = { holder, maxBytes, bytes: 0, isReceiving: true, ...window, evict }
    this.#shares.add(share)
    return share
  }

  /** Counts bytes as received, in memory or not. */
  received(share: Share, bytes: number): void {
    share.windowBytes += bytes
    if (share.windowBytes >= WINDOW_BYTES && performance.now() - share.windowStartMs >= WINDOW_MS)
      restartWindow(share)
  }

  /** Reserves bytes of temporary file; waits while there is no room. Throws 429 or 503 when none is found. */
  take(share: Share, bytes: number): Promise<void> {
    if (this.#waiting.size === 0 && this.#fits(bytes)) {
      this.#give(share, bytes)
      return Promise.resolve()
    }
    return this.#wait(share, bytes)
  }

  /** Gives everything back. */
  close(share: Share): void {
    if (!this.#shares.delete(share)) return
    this.#used -= share.bytes
    this.#admit()
  }

  #wait(share: Share, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const grace = setTimeout(() => this.#makeRoom(waiting), Math.min(GRACE_MS, this.#waitMs))
    const late = setTimeout(() => waiting.settle(this.#refusal(share)), this.#waitMs)
    const waiting: Waiting = {
      share,
      bytes,
      settle: (error) => {
        clearTimeout(grace)
        clearTimeout(late)
        this.#waiting.delete(waiting)
        if (error) reject(error)
        else resolve()
      },
    }
    this.#waiting.add(waiting)
    return promise
  }

  /** Evicts requests until this one has room, or nobody is left who should give way. */
  #makeRoom(waiting: Waiting): void {
    while (this.#waiting.has(waiting)) {
      const victim = this.#victimFor(waiting)
      if (!victim) return
      const refusal = this.#refusal(victim)
      for (const one of this.#waiting) if (one.share === victim) one.settle(refusal)
      victim.evict(refusal)
      this.close(victim)
    }
  }

  /**
   * A request of the holder with the most bytes, if that is more than this one's holder has; else a slow one.
   */
  #victimFor({ share, bytes }: Waiting): Share | undefined {
    const others = [...this.#shares].filter((one) => one !== share && one.isReceiving && one.bytes > 0)
    const own = this.#bytesOf(share.holder) + bytes
    const larger = others.filter(({ holder }) => this.#bytesOf(holder) > own)
    const most = Math.max(...larger.map(({ holder }) => this.#bytesOf(holder)))
    const ofMost = larger.filter(({ holder }) => this.#bytesOf(holder) === most)
    return ofMost.find(isSlow) ?? ofMost.sort((a, b) => b.bytes - a.bytes)[0] ?? others.find(isSlow)
  }

  /** Gives room to whoever waits, first to the holders that have the least. */
  #admit(): void {
    const least = ({ share }: Waiting) => this.#bytesOf(share.holder)
    for (const waiting of [...this.#waiting].sort((a, b) => least(a) - least(b))) {
      if (!this.#fits(waiting.bytes)) return
      this.#give(waiting.share, waiting.bytes)
      restartWindow(waiting.share)
      waiting.settle()
    }
  }

  #give(share: Share, bytes: number): void {
    share.bytes += bytes
    this.#used += bytes
  }

  #fits(bytes: number): boolean {
    let limit = this.#maxBytes
    for (const { maxBytes } of this.#shares) limit = Math.max(limit, maxBytes)
    return this.#used + bytes <= limit
  }

  #bytesOf(holder: string): number {
    let bytes = 0
    for (const share of this.#shares) if (share.holder === holder) bytes += share.bytes
    return bytes
  }

  /** 429 for a holder that has more than its part of everything, else 503. */
  #refusal({ holder }: Share): RetryLater {
    const holders = new Set([...this.#shares].map((share) => share.holder)).size
    const isOwn = holders === 1 || this.#bytesOf(holder) > this.#used / holders
    if (isOwn) return new RetryLater(429, RETRY_SECONDS, 'Too many large requests of yours at once')
    return new RetryLater(503, RETRY_SECONDS, 'Too many large requests at once')
  }
}

function restartWindow(share: Share): void {
  share.windowStartMs = performance.now()
  share.windowBytes = 0
}

const isSlow = (share: Share) =>
  share.windowBytes < WINDOW_BYTES && performance.now() - share.windowStartMs >= WINDOW_MS

/** That of this process. */
export const spoolBudget = new SpoolBudget()
