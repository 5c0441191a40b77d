import type { Collection } from '../collections/collection.ts'
import type { StatementClient } from '../db/client/statement-client.ts'
import type { RequestInfo } from '../request/request.ts'

/**
 * The client to whom a statement on this collection is charged; undefined where the server alone chose its
 * shape. A view's query is a superuser's, but costs the same for each client.
 */
export function clientOf(collection: Collection, request: RequestInfo): StatementClient | undefined {
  const { client, context, query } = request
  const isShaped = query.filter || query.sort || context === 'expand' || collection.type === 'view'
  return isShaped ? client : undefined
}
