import type { Ticket } from '../admission/ticket.ts'
import type { Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../request/request.ts'

/** The client charged for a statement; undefined where the server chose its shape. Views are charged. */
export function clientOf(collection: Collection, request: RequestInfo): Ticket | undefined {
  const { client, context, query } = request
  const isShaped = query.filter || query.sort || context === 'expand' || collection.type === 'view'
  return isShaped ? client : undefined
}
