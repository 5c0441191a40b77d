import type { Store } from '../collections/catalog.ts'
import type { AuthRecord } from '../request/request.ts'
import { columnsOf } from './record-row.ts'
import type { SqlParameters } from './sql-parameters.ts'
import { findStatementName } from './statement-name.ts'

/** The request used an outdated cached auth record: read it again and repeat the request. */
export class StaleAuth extends Error {
  override name = 'StaleAuth'
}

const selectVersion = ({ collection, until }: AuthRecord, position: number): string => {
  const isLive = until === '' ? '' : ` AND $${position + 1}::text > pb_text(now())`
  return `SELECT xmin::text FROM ${columnsOf(collection).table} WHERE id = $${position}::text${isLive}`
}

/**
 * SQL of the current version of an auth record, or NULL for a guest and a caller whose time has ended by the
 * clock of the database. The first of `listVersionValues` is `$position`.
 */
export const writeAuthVersionSql = (auth: AuthRecord | null, position: number): string =>
  auth ? `(${selectVersion(auth, position)})` : 'NULL'

/** The values of the parameters of `writeAuthVersionSql`. */
export function listVersionValues(auth: AuthRecord | null): readonly string[] {
  if (!auth) return []
  return auth.until === '' ? [auth.id] : [auth.id, auth.until]
}

/** Names the SQL of `writeAuthVersionSql`: callers of one kind have the same. */
export const describeVersionSql = (auth: AuthRecord | null): string =>
  `${auth?.collection.id} ${listVersionValues(auth).length}`

/** SQL conditions for a write: the caller's cached auth record is current. None for a guest. */
export function writeFreshAuthSql(auth: AuthRecord | null, parameters: SqlParameters): string[] {
  if (!auth) return []
  const position = parameters.values.length + 1
  for (const value of listVersionValues(auth)) parameters.add(value)
  return [`${writeAuthVersionSql(auth, position)} = ${parameters.add(auth.version)}`]
}

/**
 * Throws StaleAuth if a result of `writeAuthVersionSql` shows that the auth record was changed or deleted.
 */
export function checkAuthVersion(auth: AuthRecord | null, version: unknown): void {
  if (auth && version !== auth.version) throw new StaleAuth()
}

/** Whether a cached auth record is what the database has. One lookup by a key. */
export async function isAuthFresh({ db, catalog }: Store, auth: AuthRecord): Promise<boolean> {
  const text = selectVersion(auth, 1)
  const values = listVersionValues(auth)
  const { rows } = await db.lookUp(text, values, findStatementName(catalog, text))
  return rows[0]?.[0] === auth.version
}

/** Queries the auth record's version. Throws StaleAuth if the record was changed or deleted. */
export async function checkAuthFresh(store: Store, auth: AuthRecord | null): Promise<void> {
  if (auth && !(await isAuthFresh(store, auth))) throw new StaleAuth()
}

/** Locks the auth record until the transaction ends. Throws StaleAuth if it was changed or deleted. */
export async function lockFreshAuth(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const text = `${selectVersion(auth, 1)} FOR SHARE`
  const { rows } = await store.db.query(text, listVersionValues(auth))
  checkAuthVersion(auth, rows[0]?.[0])
}

/**
 * In `_changes.collection`: an account's sessions ended. `_changes.record` then has its `makeAccountHolder`.
 */
export const ENDED_SESSIONS = '_auth_sessions'
