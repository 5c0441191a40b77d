import type { Context } from 'hono'
import type { CatalogStore } from '../engine/collections/catalog-store.ts'
import type { Role } from '../engine/request/request.ts'
import type { Credentials } from './identify-caller.ts'
import type { TrustServices } from './server/client-address.ts'

/** A request as Hono's router has it. */
export type Routed = Pick<Context, 'req'>

/** Maximum bytes of a route's bodies, maybe by the type of the body, the settings or a collection. */
export type MaxBytes = number | ((c: Routed, services: CallerServices) => number)

/** The services that find the caller of a request. */
export interface CallerServices extends TrustServices {
  readonly store: CatalogStore
}

/** The part of a route's row that limits and requests read. `least`, `personal`: as in Permission. */
export interface RouteLimits {
  readonly permission: {
    readonly credentials?: Credentials
    readonly least?: Role | undefined
    readonly personal?: true
  }
  readonly maxBytes?: MaxBytes
  readonly idempotent?: true
}

/** Default maximum bytes of a request body, as in PocketBase. Contract 8.2 */
export const MAX_BODY_BYTES = 32 << 20

/** Maximum bytes of a guest's body. Sign-ins, subscriptions and pairing need far less. */
export const GUEST_BODY_BYTES = 64 << 10

/** Maximum bytes of a form with tokens, passwords or settings. */
export const FORM_BYTES = 1 << 20
