import type { Store } from '../collections/catalog.ts'
import { quote, tableName } from '../collections/names.ts'
import type { AuthRecord } from '../request/request.ts'

/**
 * The request was judged by an auth record from memory, and the row has changed since. Nothing was answered
 * yet: identify afresh and run again.
 */
export class StaleAuth extends Error {
  override name = 'StaleAuth'
}

/**
 * SQL that reads the present version of a request's auth record, so that the statement which answers also
 * tells whether the one from memory was still true; parameter `$position` is its id. `NULL` for a guest.
 */
export function authVersionSql(auth: AuthRecord | null, position: number): string {
  if (!auth) return 'NULL'
  return `(SELECT xmin::text FROM ${quote(tableName(auth.collection))} WHERE id = $${position}::text)`
}

/** Compares what `authVersionSql` gave. Throws StaleAuth when the record was changed or deleted. */
export function checkAuthVersion(auth: AuthRecord | null, version: unknown): void {
  if (auth && version !== auth.version) throw new StaleAuth()
}

/** The same by a statement of its own, where nothing else is asked of the database. */
export async function checkAuthFresh(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const { rows } = await store.db.lookUp(`SELECT ${authVersionSql(auth, 1)}`, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/** The same, and the record stays as it is until the transaction of the store ends. */
export async function lockFreshAuth(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const text = `SELECT xmin::text FROM ${quote(tableName(auth.collection))} WHERE id = $1::text FOR SHARE`
  const { rows } = await store.db.query(text, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}
