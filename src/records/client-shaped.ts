import type { Collection } from '../collections/collection.ts'
import type { StatementClient } from '../db/client/statement-client.ts'
import type { RequestInfo } from '../request/request.ts'

/**
 * Whose statement it is that reads records of a collection for a request; undefined where the server alone
 * chose its shape. The query of a view collection is a superuser's, but takes as long for each client that
 * asks.
 */
export function clientOf(collection: Collection, request: RequestInfo): StatementClient | undefined {
  const { client, context, query } = request
  const isShaped = query.filter || query.sort || context === 'expand' || collection.type === 'view'
  return isShaped ? client : undefined
}
