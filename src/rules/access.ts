import type { Collection, RuleName } from '../collections/collection.ts'
import { forbidden } from '../errors.ts'
import type { AuthRecord } from '../request/request.ts'

/**
 * The rule that a request to a collection is bound to: '' where everyone may, or a superuser asks. Throws 403
 * where only superusers may. PocketBase: apis/record_crud.go
 */
export function ruleFor(collection: Collection, name: RuleName, auth: AuthRecord | null): string {
  if (auth?.isSuperuser) return ''
  const rule = collection[name]
  if (rule === null) throw forbidden('Only superusers can perform this action.')
  return rule
}
