import { allowEverybody, type HasServices } from '../http/allow-callers.ts'
import type { Route } from '../http/make-routes.ts'
import { SENDS as SEND_GROUP } from '../http/metrics/group-requests.ts'
import type { Ctx, ErrorForm } from '../http/request-context.ts'
import { type Description, describeRoute } from './describe-route.ts'
import type { GatewayServices, Protocol } from './gateway-services.ts'

// A door is another product's API, through which programs send texts with an API key.

export interface DoorCall {
  readonly c: Ctx
  readonly services: GatewayServices
}

/** A row of a door. OpenAPI has the API key as a parameter, not as a security scheme: `work` asks for it. */
export const defineSendRoute = (
  description: Description,
  work: (call: DoorCall) => Promise<unknown>,
) => ({
  permission: allowEverybody<GatewayServices>(),
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
  groups: Object.fromEntries(rows.map(({ at }) => [at, SEND_GROUP])),
  roots,
  errorForm,
  rows,
  tags: [{ name, description }],
})
