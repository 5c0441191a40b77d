import type { Store } from '../../collections/catalog.ts'
import type { Uploads } from '../../files/upload.ts'
import type { AuthRecord } from '../../request/request.ts'
import { authVersionSql } from '../fresh-auth.ts'
import type { SqlCondition } from '../parameters.ts'
import type { PasswordWork } from './password-work.ts'

/** What a write is told besides its request. */
export interface WriteOptions {
  /** The files that came with the body. */
  readonly uploads?: Uploads
  /**
   * The auth record comes from memory: nothing is written if its row has changed since. The write then is
   * refused with some ApiError or StaleAuth; after any refusal the caller asks whether the record is still
   * true.
   */
  readonly isAuthCached?: boolean
  /**
   * The auth record was read just now: where a record may open something later, it stays so until that is
   * stored, or StaleAuth.
   */
  readonly locksAuth?: boolean
  /** An update locks its record before it reads it, so that no other write comes in between. */
  readonly locksRecord?: boolean
  /** The password was made by the server: rules for passwords do not apply to it. */
  readonly hasRandomPassword?: boolean
  /** How its passwords are hashed and compared. */
  readonly passwordWork?: PasswordWork
  /** What else happens with the write, in one transaction with it. It is told the record's id. */
  readonly inSameTransaction?: (store: Store, id: string) => Promise<void>
}

/**
 * Runs a write, and what else is to happen with it. `idOf` is asked after the write: a new record gets its id
 * there.
 */
export async function writeWith(
  store: Store,
  { inSameTransaction: also }: WriteOptions,
  idOf: () => string,
  write: (store: Store) => Promise<void>,
): Promise<void> {
  if (!also) return write(store)
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await write(inside)
    await also(inside, idOf())
  })
}

/** That the auth record is still as it was remembered, as a condition of the statement that writes. */
export function authConditions(
  auth: AuthRecord | null,
  { isAuthCached: remembered }: WriteOptions,
): SqlCondition[] {
  if (!auth || !remembered) return []
  return [
    (parameters) => {
      parameters.add(auth.id)
      const present = authVersionSql(auth, parameters.values.length)
      return `${present} = ${parameters.add(auth.version)}`
    },
  ]
}
