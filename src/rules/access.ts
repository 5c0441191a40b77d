import type { Collection, RuleName } from '../collections/collection.ts'
import { forbidden } from '../errors.ts'
import type { AuthRecord } from '../request/request.ts'

/** The rule of a request; '' for superusers. Throws 403 if only they may. PocketBase: record_crud.go */
export function ruleFor(collection: Collection, name: RuleName, auth: AuthRecord | null): string {
  if (auth?.isSuperuser) return ''
  const rule = collection[name]
  if (rule === null) throw forbidden('Only superusers can perform this action.')
  return rule
}
