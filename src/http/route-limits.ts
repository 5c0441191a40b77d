import { matchedRoutes } from 'hono/route'
import type { Credentials } from './identify-caller.ts'
import type { Ctx, Services } from './request-context.ts'

/** Maximum bytes of a route's bodies, maybe by the type of the body, the settings or a collection. */
export type MaxBytes = number | ((c: Ctx, services: Services) => number)

/** What limits read of the row of a route. */
export interface RouteLimits {
  readonly permission: { readonly credentials?: Credentials }
  readonly maxBytes?: MaxBytes
}

/** Default maximum bytes of a request body, as in PocketBase. Contract 8.2 */
export const MAX_BODY_BYTES = 32 << 20

/** Maximum bytes of a guest's body. Sign-ins, subscriptions and pairing need far less. */
export const GUEST_BODY_BYTES = 64 << 10

/** Maximum bytes of a form with tokens, passwords or settings. */
export const FORM_BYTES = 1 << 20

const rows = new WeakMap<object, RouteLimits>()

/** Notes the row of a handler. */
export const setRow = (handler: object, row: RouteLimits): void => void rows.set(handler, row)

/** The row that will answer a request; undefined for a path without one. */
export function findRow(c: Ctx): RouteLimits | undefined {
  for (const { handler } of matchedRoutes(c)) {
    const found = rows.get(handler)
    if (found) return found
  }
  return undefined
}

/** Maximum bytes of the body of a request, as the row of its route says; undefined if the row has none. */
function findOwnMaxBytes(c: Ctx): number | undefined {
  const maxBytes = findRow(c)?.maxBytes
  return typeof maxBytes === 'function' ? maxBytes(c, c.get('services')!) : maxBytes
}

/** Maximum bytes of the body of a request: PocketBase's, unless the row of its route has another. */
export const findMaxBytes = (c: Ctx): number => findOwnMaxBytes(c) ?? MAX_BODY_BYTES

/** Maximum bytes of the body of a request. Throws if the row of its route has none. */
export function requireMaxBytes(c: Ctx): number {
  const maxBytes = findOwnMaxBytes(c)
  if (maxBytes === undefined) throw new TypeError(`the row of ${c.req.path} needs maxBytes`)
  return maxBytes
}
