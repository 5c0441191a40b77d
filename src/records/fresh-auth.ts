import type { Store } from '../collections/catalog.ts'
import type { AuthRecord } from '../request/request.ts'
import { columnsOf, type Parameters } from './columns.ts'

/** The request's cached auth record is out of date: identify again and repeat. */
export class StaleAuth extends Error {
  override name = 'StaleAuth'
}

/** SQL: present version of the auth record with id `$position`, to validate a cached one. Guest: `NULL` */
export function authVersionSql(auth: AuthRecord | null, position: number): string {
  if (!auth) return 'NULL'
  return `(SELECT xmin::text FROM ${columnsOf(auth.collection).table} WHERE id = $${position}::text)`
}

/** The condition that a cached auth record is up to date, for the writing statement; none for a guest. */
export function freshAuthSql(auth: AuthRecord | null, parameters: Parameters): string[] {
  if (!auth) return []
  parameters.add(auth.id)
  const present = authVersionSql(auth, parameters.values.length)
  return [`${present} = ${parameters.add(auth.version)}`]
}

/** Compares the result of `authVersionSql`. Throws StaleAuth if the record was changed or deleted. */
export function checkAuthVersion(auth: AuthRecord | null, version: unknown): void {
  if (auth && version !== auth.version) throw new StaleAuth()
}

/** Throws StaleAuth if the record was changed or deleted. Sends a statement of its own. */
export async function checkAuthFresh(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const { rows } = await store.db.lookUp(`SELECT ${authVersionSql(auth, 1)}`, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/** Locks the record until the transaction ends. Throws StaleAuth if it was changed or deleted. */
export async function lockFreshAuth(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const text = `SELECT xmin::text FROM ${columnsOf(auth.collection).table} WHERE id = $1::text FOR SHARE`
  const { rows } = await store.db.query(text, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/** Id of the collection with users' settings, at most one record per user. */
export const USER_SETTINGS_ID = 'user_settings'

/** SQL: whether a superuser has disabled the user with this id (an SQL expression). */
export const isDisabledSql = (user: string) =>
  `exists (select from user_settings s where s."user" = ${user} and s.disabled)`

/** In `_changes`: a session ended. The record is the account, see `accountHolder`. */
export const ENDED_SESSIONS = '_auth_sessions'
