import { ApiError, badRequest, tryLater } from '../api-errors.ts'

interface SqlError extends Error {
  readonly code: string
  readonly constraint?: string
  readonly table?: string
  readonly detail?: string
}

/** True for an error that Postgres raised, with the SQLSTATE `code` if one is given. */
export function isSqlError(error: unknown, code?: string): error is SqlError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return false
  return /^[0-9A-Z]{5}$/.test(error.code) && (code === undefined || error.code === code)
}

export const UNIQUE_VIOLATION = '23505'
export const DEADLOCK = '40P01'
export const QUERY_CANCELED = '57014'
export const UNKNOWN_STATEMENT = '26000'
export const LOCK_NOT_AVAILABLE = '55P03'
export const UNDEFINED_TABLE = '42P01'

export const isTooSlow = (error: unknown): boolean => isSqlError(error, QUERY_CANCELED)

/** Turns an error that Postgres raised in a list request into a 400. Returns other errors unchanged. */
export function listFault(error: unknown, message?: string): unknown {
  if (isTooSlow(error)) return toAnswerableError(error, 'list')
  return isSqlError(error) ? badRequest(message) : error
}

const RETRY_SECONDS = 5

/** The kind of a request: a list that the client can make smaller, a fixed read, or a change. */
export type AskedFor = 'list' | 'read' | 'change'

const LATER = {
  read: 'This took too long. Try again in a moment.',
  change: 'This took too long, and nothing was changed. Try again in a moment.',
} as const

/** Turns a canceled statement into a 400 for a list, else into a 503 (phones give up after a 400). */
export function toAnswerableError(error: unknown, asked: AskedFor): unknown {
  if (!isTooSlow(error)) return error
  if (asked !== 'list') return tryLater(RETRY_SECONDS, LATER[asked])
  return badRequest('This takes too long. Ask for less: a shorter period, a simpler filter.')
}

/** SQLSTATEs which mean that a statement, or its cached plan, does not fit the tables. */
const MISMATCHES = new Set(['42703', '42P01', '42804', '42846', '42883', '0A000'])

/** Number of statements that did not fit the tables. Each may mean that cached collections are outdated. */
export const schemaMismatches = { count: 0 }

/** Throws the error. First counts it if the statement did not fit the tables. */
export function countSchemaMismatch(error: unknown): never {
  if (isSqlError(error) && MISMATCHES.has(error.code)) schemaMismatches.count++
  throw error
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
 * SQLSTATEs of a server that is lost, starting, stopping, full, read-only, or without its files or memory
 * segments (class 58). 08P01 is tested apart.
 */
const LOST_STATES = /^(08(?!P01)|57P0[1235]|53[13]00|58|3D000|25006|25P03)/

/** True if the connection or the server failed, not the statement: a retry may succeed. */
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

export function formatErrorHint(error: unknown): string {
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

/** A statement waited too long for a lock, for example while a table is changed. A retry may succeed. */
export class DatabaseLocked extends DatabaseUnavailable {
  override name = 'DatabaseLocked'
  constructor(cause: unknown) {
    super(cause, 'A change that takes long is under way. Please try again in a moment.')
  }
}

const DISK_FULL = '53100'
const FULL = 'The disk of the database is full, so nothing can be stored.'

const SERVER_FAULTS = /^(53100|25006|58)/

/** Number of statements that failed because the server is full, read-only or without its files. */
export const serverFaults = { count: 0 }

/** Turns errors of connections, servers and locks into DatabaseUnavailable. */
export function toDatabaseError(error: unknown): unknown {
  if (isSqlError(error) && SERVER_FAULTS.test(error.code)) serverFaults.count++
  if (isSqlError(error, LOCK_NOT_AVAILABLE)) return new DatabaseLocked(error)
  if (isSqlError(error, DISK_FULL)) return new DatabaseUnavailable(error, FULL)
  return isConnectionError(error) ? new DatabaseUnavailable(error) : error
}

/** A newer version has migrated the database, and this version must not use it any more. */
export class OutdatedServer extends DatabaseUnavailable {
  override name = 'OutdatedServer'
  constructor() {
    const message =
      'A newer version of pocketsms has migrated the database: this server must be replaced.'
    super(new Error(message), message)
  }
}
