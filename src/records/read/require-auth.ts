import type { Collection } from '../../collections/collection.ts'
import { GatewayError } from '../../errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Extensions } from '../extension.ts'

/** Throws 401 for a guest where a collection is closed to guests, whatever its rule. */
export function checkAuthRequired(
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
): void {
  if (request.auth || !extensions.get(collection.id)?.authRequired) return
  const body = { error: 'unauthorized', message: 'Authentication required', status: 401, data: {} }
  throw new GatewayError(401, body)
}
