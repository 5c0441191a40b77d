import { counts } from '../counts.ts'
import type { Db } from '../db/open.ts'
import { formatDate } from '../fields/types/date.ts'
import { cleanText } from '../fields/values/cast.ts'
import type { Logger } from '../log.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import type { LogLine } from './log-line.ts'
import { RefusalLimit } from './refusal-limit.ts'

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
