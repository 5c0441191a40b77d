import { ERROR, type LogLine } from './log-line.ts'

/** Refused requests per account or address and minute that are logged. */
const MAX_OF_HOLDER = 60
const WINDOW_MS = 60_000
/** Maximum holders per minute; requests of further ones are not logged. */
const MAX_HOLDERS = 10_000
/** Holders with a summary of what was left out. */
const MAX_SUMMARIES = 100

interface Counted {
  logged: number
  leftOut: number
  /** The first line that was not logged. */
  first?: LogLine
}

/** Keeps one client from filling the log with refused requests. A summary counts the rest of a minute. */
export class RefusalLimit {
  #holders = new Map<string, Counted>()
  #endsMs = 0

  /** Whether a minute is running that may end with summaries. */
  get isOpen(): boolean {
    return this.#holders.size > 0
  }

  /** Whether this line of `holder` is logged. */
  allows(line: LogLine, holder: string, nowMs = Date.now()): boolean {
    if (this.#holders.size === 0) this.#endsMs = nowMs + WINDOW_MS
    const counted = this.#holders.get(holder) ?? { logged: 0, leftOut: 0 }
    if (!this.#holders.has(holder) && this.#holders.size >= MAX_HOLDERS) return false
    this.#holders.set(holder, counted)
    if (counted.logged < MAX_OF_HOLDER) {
      counted.logged++
      return true
    }
    counted.leftOut++
    counted.first ??= line
    return false
  }

  /** A line per holder with omitted lines, once the minute has passed or if `isEnding`. */
  summaries(isEnding: boolean, nowMs = Date.now()): LogLine[] {
    if (this.#holders.size === 0 || (nowMs < this.#endsMs && !isEnding)) return []
    const counted = [...this.#holders.values()].filter(({ leftOut }) => leftOut > 0)
    this.#holders = new Map()
    return counted.slice(0, MAX_SUMMARIES).map((one) => summaryOf(one, nowMs))
  }
}

function summaryOf({ first, leftOut }: Counted, atMs: number): LogLine {
  const { auth, authId, remoteIP, userIP } = first?.data ?? {}
  const who = Object.entries({ auth, authId, remoteIP, userIP }).filter(([, value]) => value !== undefined)
  const message = `${leftOut} more requests like this were not logged: ${first?.message}`
  return { atMs, level: ERROR, message, data: { ...Object.fromEntries(who), leftOut, type: 'summary' } }
}
