import type { Store } from '../collections/catalog.ts'
import { type Collection, USERS_ID } from '../collections/collection.ts'
import { quote, tableName } from '../collections/names.ts'
import { forbidden } from '../errors.ts'
import type { AuthRecord } from '../request/request.ts'

/** The collection of devices, by its id. */
const DEVICES_ID = 'devices'

/**
 * Whether a superuser has disabled this user. False for records of other collections, also for devices of a
 * disabled user: `enabledSql` covers those.
 */
export const isDisabled = ({ collection, values }: Pick<AuthRecord, 'collection' | 'values'>): boolean =>
  collection.id === USERS_ID && values.disabled === true

/** Throws 403, as PocketBase does where an authRule is not met, for a user who is disabled. */
export function requireEnabled(auth: AuthRecord): void {
  if (isDisabled(auth))
    throw forbidden("The request doesn't satisfy the collection requirements to authenticate.")
}

/**
 * SQL: row `b` of an auth collection may be used to sign in or to act. False for a disabled user and for
 * the devices of one.
 */
export function enabledSql({ catalog }: Store, collection: Collection): string {
  if (collection.id === USERS_ID) return 'not b.disabled'
  const users = collection.id === DEVICES_ID ? catalog.find(USERS_ID) : undefined
  if (!users) return 'true'
  return `not exists (select from ${quote(tableName(users))} u where u.id = b."user" and u.disabled)`
}
