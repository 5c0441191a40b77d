import type { Collection, RuleName } from '../collections/collection.ts'
import { forbidden, GatewayError } from '../errors.ts'
import { type AuthRecord, limitsOf } from '../request/request.ts'
import { notAllowed } from './roles.ts'

/** A request's rule; '' for superusers. 403 if only they or a larger role may. PocketBase: record_crud.go */
export function ruleFor(collection: Collection, name: RuleName, auth: AuthRecord | null): string {
  if (auth?.isSuperuser) return ''
  const rule = collection[name]
  const limits = auth ? limitsOf(auth) : undefined
  if (rule === null && limits) throw notAllowed(limits)
  if (rule === null) throw forbidden('Only superusers can perform this action.')
  return rule
}

/** The rule of a read; '' for superusers. Throws 403 as `ruleFor`, 401 for a guest where `isAuthRequired`. */
export function readRuleFor(
  collection: Collection,
  name: 'listRule' | 'viewRule',
  auth: AuthRecord | null,
  isAuthRequired = false,
): string {
  if (auth || !isAuthRequired) return ruleFor(collection, name, auth)
  const body = { error: 'unauthorized', message: 'Authentication required', status: 401, data: {} }
  throw new GatewayError(401, body)
}
