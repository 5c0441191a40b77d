import { counts } from '../counts.ts'
import type { Db } from '../db/open.ts'
import { formatDate } from '../fields/types/date.ts'
import { cleanText } from '../fields/values/cast.ts'
import type { Logger } from '../log.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
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
class RefusalLimit {
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

/** Maximum delay of a line: short for people who look for a recent failure, long enough to batch. */
const EVERY_MS = 2_000
/** Maximum waiting lines; more are lost. With EVERY_MS it is 500 per second. */
const MAX_LINES = 1_000
/** The same for refused requests: 100 per second. */
const MAX_REFUSED = 200

const WRITE = `
insert into _logs (created, level, message, data)
select created::pb_date, level, message, data::json
from unnest($1::text[], $2::float8[], $3::text[], $4::text[]) as line (created, level, message, data)`

/** Writes requests to the log table by a timer, many per statement. Drops lines of a slow database. */
export class RequestLog {
  readonly #db: Db
  readonly #settings: Pick<SettingsStore, 'current'>
  readonly #log: Logger
  readonly #limit = new RefusalLimit()
  #lines: LogLine[] = []
  #refused = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Db, settings: Pick<SettingsStore, 'current'>, log: Logger) {
    this.#db = db
    this.#settings = settings
    this.#log = log
  }

  /** Whether the settings keep lines of this level. */
  wants(level: number): boolean {
    const { maxDays, minLevel } = this.#settings.current.logs
    return maxDays > 0 && level >= minLevel
  }

  /** `refused`: the account or address of a refused request; only some are logged per minute. */
  add(line: LogLine, refused?: string): void {
    this.#timer ??= setTimeout(() => void this.#flush(false), EVERY_MS).unref()
    if (!this.#hasRoom(line, refused)) {
      counts.logs.dropped++
      return
    }
    this.#lines.push(line)
    if (refused !== undefined) this.#refused++
  }

  /** Writes waiting lines after the current write. Never fails: lines that the database refuses are lost. */
  flush(): Promise<void> {
    return this.#flush(true)
  }

  #hasRoom(line: LogLine, refused: string | undefined): boolean {
    if (this.#lines.length >= MAX_LINES) return false
    return refused === undefined || (this.#limit.allows(line, refused) && this.#refused < MAX_REFUSED)
  }

  #flush(isEnding: boolean): Promise<void> {
    clearTimeout(this.#timer)
    this.#lines.push(...this.#limit.summaries(isEnding))
    this.#refused = 0
    const again = () => void this.#flush(false)
    this.#timer = this.#limit.isOpen ? setTimeout(again, EVERY_MS).unref() : undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const lines = this.#lines.splice(0)
    if (lines.length === 0) return
    try {
      await this.#db.query(WRITE, columns(lines), 'write logs')
      counts.logs.written += lines.length
    } catch (err) {
      counts.logs.dropped += lines.length
      this.#log.warn({ err, lines: lines.length }, 'requests could not be logged')
    }
  }
}

const columns = (lines: readonly LogLine[]) => [
  lines.map(({ atMs }) => formatDate(new Date(atMs))),
  lines.map(({ level }) => level),
  lines.map(({ message }) => cleanText(message)),
  lines.map(({ data }) => JSON.stringify(data, clean)),
]

const clean = (_: string, value: unknown) => (typeof value === 'string' ? cleanText(value) : value)
