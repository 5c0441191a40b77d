import type { Store } from '../../collections/catalog.ts'
import type { Uploads } from '../../files/upload.ts'
import type { AuthRecord } from '../../request/request.ts'
import { authVersionSql } from '../fresh-auth.ts'
import type { SqlCondition } from '../parameters.ts'
import type { PasswordWork } from './password-work.ts'

export interface WriteOptions {
  /** Files sent with the body. */
  readonly uploads?: Uploads
  /**
   * Whether the auth record is cached. If so, the write is refused when its row has changed. Cached or not, a
   * create with a hook locks it, or throws StaleAuth. Absent: no check.
   */
  readonly isAuthCached?: boolean
  /** An update locks its record before it reads it, so that no other write comes in between. */
  readonly locksRecord?: boolean
  /** The server made the password: the field's password rules do not apply. */
  readonly hasRandomPassword?: boolean
  readonly passwordWork?: PasswordWork
  /** Further work in the write's transaction, given the record's id. */
  readonly inSameTransaction?: (store: Store, id: string) => Promise<void>
}

/** The condition that the cached auth record is up to date, for the writing statement. */
export function authConditions(auth: AuthRecord | null, { isAuthCached }: WriteOptions): SqlCondition[] {
  if (!auth || !isAuthCached) return []
  return [
    (parameters) => {
      parameters.add(auth.id)
      const present = authVersionSql(auth, parameters.values.length)
      return `${present} = ${parameters.add(auth.version)}`
    },
  ]
}
