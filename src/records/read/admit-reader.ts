import type { Collection, RuleName } from '../../collections/collection.ts'
import { GatewayError } from '../../errors.ts'
import type { AuthRecord } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import type { Extensions } from '../extension.ts'

/**
 * The rule under which a caller may read a collection. Throws 401 for a guest where all must sign in, 403 for
 * a rule of null.
 */
export function admitReader(
  extensions: Extensions,
  collection: Collection,
  rule: RuleName,
  auth: AuthRecord | null,
): string {
  if (auth || !extensions.get(collection.id)?.authRequired) return ruleFor(collection, rule, auth)
  const body = { error: 'unauthorized', message: 'Authentication required', status: 401, data: {} }
  throw new GatewayError(401, body)
}
