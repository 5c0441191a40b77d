import { counts } from '../counts.ts'
import type { Db } from '../db/open.ts'
import { formatDate } from '../fields/types/date.ts'
import { cleanText } from '../fields/values/cast.ts'
import type { Logger } from '../log.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import type { LogLine } from './log-line.ts'
import { RefusalLimit } from './refusal-limit.ts'

/**
 * A line waits no longer. Short enough for who looks what has just failed, long enough for many in a
 * statement.
 */
const EVERY_MS = 2_000
/**
 * As many wait at most; what is more is lost. With the above it is 500 a second, if the server itself has
 * faults.
 */
const MAX_LINES = 1_000
/** Of requests that were refused: 100 a second. */
const MAX_REFUSED = 200

const WRITE = `
insert into _logs (created, level, message, data)
select created::pb_date, level, message, data::json
from unnest($1::text[], $2::float8[], $3::text[], $4::text[]) as line (created, level, message, data)`

/**
 * Requests on their way into the table of logs. They are gathered in memory and written some seconds later,
 * many in one statement, by a timer: no request ever waits for it. Lines are dropped, and counted, rather
 * than held when the database is slow.
 */
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

  /** Whether lines of this level are kept, by the settings. Asked of each request. */
  wants(level: number): boolean {
    const { maxDays, minLevel } = this.#settings.current.logs
    return maxDays > 0 && level >= minLevel
  }

  /** `refused`: the account or address whose request was refused. Of each only some are kept a minute. */
  add(line: LogLine, refused?: string): void {
    this.#timer ??= setTimeout(() => void this.#flush(false), EVERY_MS).unref()
    if (!this.#hasRoom(line, refused)) {
      counts.logs.dropped++
      return
    }
    this.#lines.push(line)
    if (refused !== undefined) this.#refused++
  }

  /** Writes what waits, after what is being written. Never fails: what the database does not take is lost. */
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
