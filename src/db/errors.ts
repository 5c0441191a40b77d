import { ApiError, badRequest, RetryLater } from '../errors.ts'

/** Postgres' error for a failed statement, from either backend. `code` is the SQLSTATE. */
export interface SqlError extends Error {
  readonly code: string
  readonly constraint?: string
  readonly table?: string
  readonly detail?: string
}

/** True for an error that Postgres raised, with the SQLSTATE `code` if one is given. */
export function isSqlError(error: unknown, code?: string): error is SqlError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^[0-9A-Z]{5}$/.test(error.code) && (code === undefined || error.code === code)
}

export const UNIQUE_VIOLATION = '23505'
export const QUERY_CANCELED = '57014'
export const UNKNOWN_STATEMENT = '26000'
export const LOCK_NOT_AVAILABLE = '55P03'
export const UNDEFINED_TABLE = '42P01'

/** A statement ran longer than it may, or was canceled. */
export const isTooSlow = (error: unknown): boolean => isSqlError(error, QUERY_CANCELED)

/** The client's error for a list that fails in the database: 400. Returns other errors unchanged. */
export function listFault(error: unknown, message?: string): unknown {
  if (isTooSlow(error)) return answerableFault(error, true)
  return isSqlError(error) ? badRequest(message) : error
}

const RETRY_SECONDS = 5

/** The answer to a canceled statement: 400 to a read, 503 to a write, as phones drop what gets a 400. */
export function answerableFault(error: unknown, isRead: boolean): unknown {
  if (!isTooSlow(error)) return error
  if (isRead) return badRequest('This takes too long. Ask for less: a shorter period, a simpler filter.')
  const message = 'This took too long, and nothing was changed. Try again in a moment.'
  return new RetryLater(503, RETRY_SECONDS, message)
}

/** A statement that does not fit the tables, or a cached plan that no longer does. */
const MISMATCHES = new Set(['42703', '42P01', '42804', '42883', '0A000'])

/** Statements that did not fit the tables. When it grows, the catalog may be old. */
export const schemaMismatches = { count: 0 }

export function countSchemaMismatch(error: unknown): void {
  if (isSqlError(error) && MISMATCHES.has(error.code)) schemaMismatches.count++
}

const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])
/**
 * SQLSTATE classes and codes of a server that is starting, stopping, full (connections, disk),
 * lost, or read-only, such as a former primary; 08P01 is a wrong statement, or
 * PgBouncer's error for an unreachable Postgres, before it closes the connection.
 */
const LOST_STATES = /^(08(?!P01)|57P0[1235]|53[13]00|3D000|25006|25P03)/

/** True when the database, and not the statement, is at fault: asking again later may work. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionError)
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (LOST_CODES.has(code) || LOST_STATES.test(code)) return true
  if (code === '08P01' && 'severity' in error && error.severity === 'FATAL') return true
  return /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Query read timeout/.test(
    error.message,
  )
}

/** An error's message with Postgres' hint, such as for a full disk. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, hint } = error as Error & { hint?: string }
  return hint ? `${message}. ${hint.replace(/\.$/, '')}` : message
}

/** The database is unreachable. Answered as 503 with Retry-After, so that clients retry. */
export class DatabaseUnavailable extends ApiError {
  override name = 'DatabaseUnavailable'
  readonly retryAfterSeconds = RETRY_SECONDS
  constructor(cause: unknown, message = '') {
    super(503, message)
    this.cause = cause
  }
}

/** A lock that is held for too long, as while a table is changed. Retrying may help. */
export class DatabaseLocked extends DatabaseUnavailable {
  override name = 'DatabaseLocked'
  constructor(cause: unknown) {
    super(cause, 'A change that takes long is under way. Please try again in a moment.')
  }
}

/** A full disk, or a server that is read-only. */
const REFUSED_WRITES = new Set(['53100', '25006'])

/** Writes that the database refused. When it grows, nothing may be accepted for a while. */
export const refusedWrites = { count: 0 }

/** The error of a statement as DatabaseLocked or DatabaseUnavailable, where it is one. */
export function databaseFault(error: unknown): unknown {
  if (isSqlError(error) && REFUSED_WRITES.has(error.code)) refusedWrites.count++
  if (isSqlError(error, LOCK_NOT_AVAILABLE)) return new DatabaseLocked(error)
  return isConnectionError(error) ? new DatabaseUnavailable(error) : error
}

/** A newer version has migrated the database in a way that this server must not work on. */
export class OutdatedServer extends DatabaseUnavailable {
  override name = 'OutdatedServer'
  constructor() {
    const message = 'A newer version of pocketsms has migrated the database: this server must be replaced.'
    super(new Error(message), message)
  }
}

/** A statement's result: rows as arrays in the order of `fields`. `count`: rows returned or changed. */
export interface Result {
  readonly rows: unknown[][]
  readonly fields: readonly { readonly name: string }[]
  readonly count: number
}

/**
 * Sends statements. Types of results: text, json and dates → string, float8, int → number,
 * bool → boolean, text[] → string[], null → null. `name` makes a prepared statement that Postgres may plan
 * once for all values: only for statements whose shape no client chose (see docs/internals/queries.md).
 */
export interface Session {
  query(text: string, params?: readonly unknown[], name?: string): Promise<Result>
  /** Runs several statements without parameters, such as a migration file. */
  script(text: string): Promise<void>
}

export interface TransactionSession extends Session {
  /** Sets the time limit of later statements of the transaction; 0: none, also for locks. */
  limit(ms: number): Promise<void>
  /** Ends all other connections of pocketsms, of all processes. Call it right before the commit. */
  endOthers(): Promise<void>
}

/** `waiting`: requests that wait for a connection. */
export type PoolUse = Readonly<Record<'busy' | 'idle' | 'waiting', number>>

export interface Backend extends Session {
  /** As `query`, for reads of rows by key, which wait for no lock. */
  readonly lookUp: Session['query']
  /** As `query`, for a statement that a client shaped: it fails (SQLSTATE 57014) at a client's time limit. */
  readonly clientQuery: Session['query']
  /** Runs a statement without time limit or transaction, on a connection of its own. */
  unhurried(text: string): Promise<Result>
  /** Runs `work` in one transaction on one connection; an error rolls back and is thrown on. */
  transaction<T>(work: (session: TransactionSession) => Promise<T>): Promise<T>
  /** Calls `heard` for each NOTIFY until the returned function is called. Reconnects after a loss. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>
  /**
   * Notifies all servers: listeners of this process at once, others within 20 ms. Call it after the commit.
   */
  announce(channel: string, payload: string): void
  /** Whether notifications arrive; undefined if unknown. */
  readonly hears: () => boolean | undefined
  readonly use: () => PoolUse
  close(): Promise<void>
}
