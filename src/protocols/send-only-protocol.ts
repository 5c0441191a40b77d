import { ACTS } from '../gateway/base/permissions.ts'
import type { HasServices, Permission } from '../http/allow-callers.ts'
import type { Bound, RouteBound } from '../http/bounds.ts'
import { BY_NOTHING, byKey, readKeyHeader } from '../http/identify-caller.ts'
import type { Route } from '../http/make-routes.ts'
import type { Security } from '../http/openapi/security.ts'
import type { Ctx, ErrorForm } from '../http/request-context.ts'
import type { MaxBytes } from '../http/route-limits.ts'
import { type Description, describeRoute } from './describe-route.ts'
import type { GatewayServices, Protocol } from './gateway-services.ts'
import { MAX_PARAMETER_BYTES } from './read-parameters.ts'

// A door is another product's API, through which programs send texts with an API key.

export interface DoorCall {
  readonly c: Ctx
  readonly services: GatewayServices
}

type DoorPermission = Permission<HasServices<GatewayServices>, GatewayServices>

/** Callers with an API key in this header. */
export const allowKeyHeader = (name: string, security: Security): DoorPermission => ({
  scopes: ACTS.send.scopes,
  security,
  credentials: byKey(readKeyHeader(name)),
})

/**
 * Callers with an API key in the body or query. `work` reads the key, limits do not: for limits all callers
 * of these routes are guests.
 */
export const ALLOW_KEY_PARAMETER: DoorPermission = {
  scopes: ACTS.send.scopes,
  security: 'none',
  credentials: BY_NOTHING,
}

export const OF_SEND: Bound = {
  cost: 'recipients; contacts and groups of the user if the request names them',
  by: '`MAX_RECIPIENTS`; an address has at most 16 KiB',
}

/** A row of a door. `work` asks who calls. */
export const defineSendRoute = (
  permission: DoorPermission,
  description: Description,
  work: (call: DoorCall) => Promise<unknown>,
  maxBytes: MaxBytes = MAX_PARAMETER_BYTES,
  bound: RouteBound = OF_SEND,
) => ({
  permission,
  bound,
  ...((description.body || description.form) && { maxBytes }),
  ...describeRoute(description),
  run: ({ services }: HasServices<GatewayServices>, c: Ctx) => work({ c, services }),
})

/** Makes the `Protocol` of another product. `rows`: all of them send. */
export const makeSendOnlyProtocol = (
  name: string,
  description: string,
  roots: readonly string[],
  rows: readonly Route<GatewayServices>[],
  errorForm: ErrorForm,
): Protocol => ({
  group: name.replace('-', '_'),
  groups: Object.fromEntries(rows.map(({ at }) => [at, 'send'])),
  roots,
  errorForm,
  rows,
  tags: [{ name, description }],
})
