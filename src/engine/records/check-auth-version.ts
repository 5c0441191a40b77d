import type { Store } from '../collections/catalog.ts'
import type { AuthRecord } from '../request/request.ts'
import { columnsOf } from './record-row.ts'
import type { SqlParameters } from './sql-parameters.ts'

/** The request used an outdated cached auth record: read it again and repeat the request. */
export class StaleAuth extends Error {
  override name = 'StaleAuth'
}

/** SQL of the current version of the auth record with id `$position`, or NULL for a guest. */
export function writeAuthVersionSql(auth: AuthRecord | null, position: number): string {
  if (!auth) return 'NULL'
  return `(SELECT xmin::text FROM ${columnsOf(auth.collection).table} WHERE id = $${position}::text)`
}

/** SQL conditions for a write: the caller's cached auth record is current. None for a guest. */
export function writeFreshAuthSql(auth: AuthRecord | null, parameters: SqlParameters): string[] {
  if (!auth) return []
  parameters.add(auth.id)
  const present = writeAuthVersionSql(auth, parameters.values.length)
  return [`${present} = ${parameters.add(auth.version)}`]
}

/**
 * Throws StaleAuth if a result of `writeAuthVersionSql` shows that the auth record was changed or deleted.
 */
export function checkAuthVersion(auth: AuthRecord | null, version: unknown): void {
  if (auth && version !== auth.version) throw new StaleAuth()
}

/** Queries the auth record's version. Throws StaleAuth if the record was changed or deleted. */
export async function checkAuthFresh(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const { rows } = await store.db.lookUp(`SELECT ${writeAuthVersionSql(auth, 1)}`, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/** Locks the auth record until the transaction ends. Throws StaleAuth if it was changed or deleted. */
export async function lockFreshAuth(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const text = `SELECT xmin::text FROM ${columnsOf(auth.collection).table} WHERE id = $1::text FOR SHARE`
  const { rows } = await store.db.query(text, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/**
 * In `_changes.collection`: an account's sessions ended. `_changes.record` then has its `makeAccountHolder`.
 */
export const ENDED_SESSIONS = '_auth_sessions'
