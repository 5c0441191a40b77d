import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Rate } from '../../platform/limits/admission-limits.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { Rates } from '../../platform/limits/rates.ts'
import type { Logger } from '../../platform/log.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { formatDate } from '../fields/parse-date.ts'
import type { Settings } from '../settings/settings-shape.ts'

export const ERROR_LEVEL = 8
/** Level of successful requests: below the default `logs.minLevel`. PocketBase: 0 (docs/operations.md). */
export const DEBUG = -4

export interface LogLine {
  readonly atMs: number
  readonly level: number
  readonly message: string
  /** Texts, numbers and objects of these. Keys are in byte order, as in PocketBase. */
  readonly data: Readonly<Record<string, unknown>>
}

/** How many refused requests of an account or address are logged: about 60, then one per second. */
const REFUSED: Rate = { name: 'refused requests in the log', burst: 60, perSecond: 1 }
/** Maximum delay of a line: short for people who look for a failure, long enough for batches. */
const EVERY_MS = 2_000
/** Maximum lines that wait for the next write. Further lines are lost: at most 500 a second are written. */
const MAX_LINES = 1_000
const MAX_REFUSED = 200

const writeLogLines = (db: Db, lines: readonly LogLine[]) => {
  const { created, levels, messages, data } = toLogColumns(lines)
  return queries(db)
    .insertInto('_logs')
    .columns(['created', 'level', 'message', 'data'])
    .expression((from) =>
      from
        .selectFrom(
          sql<{ level: number; message: string }>`unnest(
            ${created}::text[], ${levels}::float8[], ${messages}::text[], ${data}::text[])`.as<'line'>(
            sql`line(created, level, message, data)`,
          ),
        )
        .select([sql<string>`created::pb_date`.as('created'), 'level', 'message'])
        .select(sql<string>`data::json`.as('data')),
    )
    .execute()
}

/** Writes requests to the log table by a timer, many per statement. Drops lines if the database is slow. */
export class RequestLog {
  readonly #db: Db
  readonly #log: Logger
  readonly #rates = new Rates(REFUSED)
  #lines: LogLine[] = []
  #refused = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** `refused`: who sent the request, if it was refused. Only some refused requests are logged. */
  add(line: LogLine, refused?: Holder): void {
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref()
    if (!this.#hasRoom(refused)) {
      counts.logs.dropped++
      return
    }
    this.#lines.push(line)
    if (refused === undefined) return
    this.#refused++
    this.#rates.charge(refused, 1)
  }

  /** Writes waiting lines after the current write. Never fails: lines that the database refuses are lost. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#refused = 0
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  #hasRoom(refused: Holder | undefined): boolean {
    if (this.#lines.length >= MAX_LINES) return false
    return (
      refused === undefined || (this.#refused < MAX_REFUSED && this.#rates.debtOf(refused) === 0)
    )
  }

  async #write(): Promise<void> {
    const lines = this.#lines.splice(0)
    if (lines.length === 0) return
    try {
      await writeLogLines(this.#db, lines)
      counts.logs.written += lines.length
    } catch (err) {
      counts.logs.dropped += lines.length
      this.#log.warn({ err, lines: lines.length }, 'could not log requests')
    }
  }
}

const toLogColumns = (lines: readonly LogLine[]) => ({
  created: lines.map(({ atMs }) => formatDate(new Date(atMs))),
  levels: lines.map(({ level }) => level),
  messages: lines.map(({ message }) => cleanText(message)),
  data: lines.map(({ data }) => JSON.stringify(data, cleanLogValue)),
})

const cleanLogValue = (_: string, value: unknown) =>
  typeof value === 'string' ? cleanText(value) : value

/** Maximum rows, whatever the settings allow. They take about 600 MB. */
const MAX_ROWS = 1_000_000
const BATCH = 10_000
const DAY_MS = 86_400_000
const MAX_DAYS = 36_500

/** The row is not among the last `rows`. */
const isBeyondLimit = (rows: number) =>
  sql<boolean>`_rowid <= (select max(_rowid) from _logs) - ${rows}::bigint`

/** Deletes logs older than `logs.maxDays` or beyond `maxRows`. PocketBase: core/base.go, registerLogsHooks */
export async function deleteOldLogs(
  db: Db,
  { maxDays }: Settings['logs'],
  nowMs = Date.now(),
  maxRows = MAX_ROWS,
): Promise<void> {
  const before = formatDate(new Date(nowMs - Math.min(maxDays, MAX_DAYS) * DAY_MS))
  await deleteLogs(db, sql<boolean>`created <= ${before}`)
  await deleteLogs(db, isBeyondLimit(maxRows))
}

export const deleteAllLogs = (db: Db): Promise<void> => deleteLogs(db, isBeyondLimit(0))

/** Deletes old logs and those below `logs.minLevel`, after a change of the settings. */
export async function deleteUnwantedLogs(db: Db, logs: Settings['logs']): Promise<void> {
  await deleteOldLogs(db, logs)
  await deleteLogs(db, sql<boolean>`level < ${logs.minLevel}`)
}

async function deleteLogs(db: Db, condition: Expression<SqlBool>): Promise<void> {
  const deleteSome = () =>
    queries(db)
      .deleteFrom('_logs')
      .where('_rowid', 'in', ({ selectFrom }) =>
        selectFrom('_logs')
          .select('_rowid')
          .where(condition)
          .orderBy('_rowid')
          .limit(sql.lit(BATCH)),
      )
      .executeTakeFirst()
  while ((await deleteSome()).numDeletedRows > 0n);
}

const DEFAULT_DATA_BYTES = 16 << 10
const MAX_MESSAGE_BYTES = 8_000

/**
 * Cuts data to `maxDataSize` bytes: the first member that does not fit becomes null, and later members are
 * left out. PocketBase: core/log_model.go, DBExport
 */
export function cutLogLine(line: LogLine, maxDataSize: number): LogLine {
  const limit = maxDataSize || DEFAULT_DATA_BYTES
  const message = Buffer.from(line.message).subarray(0, MAX_MESSAGE_BYTES).toString()
  const isShort = Buffer.byteLength(JSON.stringify(line.data)) <= limit
  return { ...line, message, data: isShort ? line.data : cutLogData(line.data, limit) }
}

function cutLogData(data: LogLine['data'], limit: number): LogLine['data'] {
  const kept: Record<string, unknown> = { __pb_truncated__: true }
  let end = 0
  for (const [key, value] of Object.entries(data)) {
    // 2: the brace or comma before the key, and the colon
    end += Buffer.byteLength(JSON.stringify(key)) + 2
    if (end > limit) break
    end += Buffer.byteLength(JSON.stringify(value))
    kept[key] = end > limit ? null : value
  }
  return kept
}
