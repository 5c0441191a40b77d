import { Hono } from 'hono'
import type { Ctx, Env, ErrorForm } from '../http/context.ts'
import { SENDS as SEND_GROUP } from '../http/metrics/traffic.ts'
import { gate } from '../http/middleware/gate.ts'
import { NOBODY } from '../http/openapi/security.ts'
import type { GatewayServices, Protocol } from './gateway-services.ts'
import { addRoutes, describeRoutes, type TableRoute } from './route-table.ts'

// A door is another product's API, through which programs send texts with an API key.

export interface DoorCall {
  readonly c: Ctx
  readonly services: GatewayServices
}

export type DoorRoute = TableRoute<DoorCall>

/**
 * Makes the `Protocol` of another product. OpenAPI has the API key as a parameter, not as a security scheme.
 */
export const doorProtocol = (
  name: string,
  description: string,
  roots: readonly string[],
  routes: readonly DoorRoute[],
  errorForm: ErrorForm,
): Protocol => ({
  group: name.replace('-', '_'),
  groups: Object.fromEntries(routes.map(({ at }) => [at, SEND_GROUP])),
  roots,
  errorForm,
  routes(services) {
    const app = new Hono<Env>()
    for (const root of roots) if (!root.startsWith('/api/')) app.use(`${root}/*`, gate(services))
    addRoutes<DoorCall, DoorRoute>(app, '', routes, (c, _, work) => work({ c, services }))
    return app
  },
  tags: [{ name, description }],
  paths: () => describeRoutes(name, NOBODY, '', routes),
})
