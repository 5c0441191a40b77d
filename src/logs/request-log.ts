import type { SettingsStore } from '../collections/settings-store.ts'
import { counts } from '../counts.ts'
import type { Db } from '../db/open.ts'
import { cleanText } from '../fields/cast.ts'
import { formatDate } from '../fields/date.ts'
import type { Logger } from '../log.ts'
import type { Line } from './line.ts'

/** A line waits no longer. Short enough for who looks what has just failed, long enough for many in a statement. */
const EVERY_MS = 2_000
/** As many wait at most; what is more is lost. With the above it is 500 a second, whoever floods the server with nonsense. */
const MAX_LINES = 1_000

const WRITE = `
insert into _logs (created, level, message, data)
select created::pb_date, level, message, data::json
from unnest($1::text[], $2::float8[], $3::text[], $4::text[]) as line (created, level, message, data)`

/**
 * Requests on their way into the table of logs. They are gathered in memory and written some seconds later, many in one
 * statement, by a timer: no request ever waits for it. Lines are dropped, and counted, rather than held when the database is slow.
 */
export class RequestLog {
  readonly #db: Db
  readonly #settings: Pick<SettingsStore, 'current'>
  readonly #log: Logger
  #lines: Line[] = []
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

  add(line: Line): void {
    if (this.#lines.length >= MAX_LINES) {
      counts.logs.dropped++
      return
    }
    this.#lines.push(line)
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref()
  }

  /** Writes what waits, after what is being written. Never fails: what the database does not take is lost. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
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

const columns = (lines: readonly Line[]) => [
  lines.map(({ atMs }) => formatDate(new Date(atMs))),
  lines.map(({ level }) => level),
  lines.map(({ message }) => cleanText(message)),
  lines.map(({ data }) => JSON.stringify(data, clean)),
]

const clean = (_: string, value: unknown) => (typeof value === 'string' ? cleanText(value) : value)
