import type { Ctx } from '../request-context.ts'
import { MAX_BODY_BYTES } from '../route-limits.ts'

/** Maximum bytes of the body of a request, as the row of its route says; undefined if the row has none. */
function findOwnMaxBytes(c: Ctx): number | undefined {
  const { incoming } = c.env
  const maxBytes = incoming.row?.maxBytes
  return typeof maxBytes === 'function' ? maxBytes(c, incoming.services) : maxBytes
}

/** Maximum bytes of the body of a request: PocketBase's, unless the row of its route has another. */
export const findMaxBytes = (c: Ctx): number => findOwnMaxBytes(c) ?? MAX_BODY_BYTES

/** Maximum bytes of the body of a request. Throws if the row of its route has none. */
export function requireMaxBytes(c: Ctx): number {
  const maxBytes = findOwnMaxBytes(c)
  if (maxBytes === undefined) throw new TypeError(`the row of ${c.req.path} needs maxBytes`)
  return maxBytes
}
