import type { Store } from '../collections/catalog.ts'
import { type Collection, DEVICES_ID, USERS_ID } from '../collections/collection.ts'
import { forbidden } from '../errors.ts'
import { isDisabledSql, USER_SETTINGS_ID } from '../records/auth/disabled.ts'
import type { AuthRecord } from '../request/request.ts'

/** Throws 403 for a disabled user, as PocketBase does for an unmet authRule. */
export function requireEnabled({ isDisabled }: AuthRecord): void {
  if (isDisabled) throw forbidden("The request doesn't satisfy the collection requirements to authenticate.")
}

/** SQL: row `b` of an auth collection is a disabled user, or a device of one. */
export function disabledSql({ catalog }: Store, { id }: Collection): string {
  if (!catalog.find(USER_SETTINGS_ID)) return 'false'
  if (id === USERS_ID) return isDisabledSql('b.id')
  return id === DEVICES_ID ? isDisabledSql('b."user"') : 'false'
}
