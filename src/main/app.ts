import { Hono } from 'hono'
import { findChangingGets, mountRoutes } from '../http/make-routes.ts'
import type { Readiness } from '../http/metrics/readiness.ts'
import { answerFailure, answerUnknownRoute } from '../http/middleware/answer-errors.ts'
import { limitRequests } from '../http/middleware/limit-requests.ts'
import { refuseHead } from '../http/middleware/refuse-head.ts'
import type { Env } from '../http/request-context.ts'
import { makePathReader } from '../http/server/clean-paths.ts'
import { tryLater } from '../platform/api-errors.ts'
import type { GatewayServices } from '../protocols/gateway-services.ts'
import { PROTOCOLS } from '../protocols/protocols.ts'
import { DESCRIBED } from './api-description.ts'
import { makeAssetRoutes, makeConsoleRoutes, makeOpenApiRoutes } from './console.ts'
import { APIS, FEATURES } from './features.ts'
import { makeMetricsRoutes } from './metrics-routes.ts'

/** All routes of the server. `http/middleware/answer-errors` answers the errors that they throw. */
export function createApp(services: GatewayServices): Hono<Env> {
  const app = new Hono<Env>({ getPath: makePathReader(services.apis) })
  app.route('/', makeMetricsRoutes(services))
  for (const path of HEADLESS) app.use(path, refuseHead)
  app.use('/api/account/*', (c, next) => {
    c.header('cache-control', 'no-store')
    return next()
  })
  for (const { rows = [] } of [...FEATURES, ...PROTOCOLS])
    app.route('/', mountRoutes(rows, services))
  const roots = APIS.flatMap((api) => api.roots).filter((root) => !root.startsWith('/api/'))
  for (const root of ['/api', ...roots])
    app.use(`${root}/*`, (c, next) => limitRequests(c, services, undefined, next))
  app.route('/', makeOpenApiRoutes(services, DESCRIBED))
  app.route('/', makeConsoleRoutes(services))
  app.notFound((c) => answerUnknownRoute(c, services))
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}

/** The roots of other products' APIs. */
const OTHER_ROOTS = [
  ...FEATURES.flatMap(({ api }) => (api?.refusesHead ? api.roots : [])),
  ...PROTOCOLS.flatMap(({ roots }) => roots),
]

/** Paths at which a GET may change something: ours, and all of other products' APIs. */
const HEADLESS: readonly string[] = [
  ...OTHER_ROOTS.map((root) => `${root}/*`),
  ...[...FEATURES, ...PROTOCOLS].flatMap(({ rows = [] }) => findChangingGets(rows)),
]

const RETRY_SECONDS = 5

const NOT_READY: Readiness = {
  ready: false,
  serving: false,
  database: { reachable: true, migrated: true, writable: true, listening: true },
  queue: null,
}

const HEALTHY = { message: 'API is healthy.', code: 200, data: {} } as const

/**
 * The app while the database is not in use. Answers 503 with `reason`'s text, except to `/api/health` and for
 * the console's assets.
 */
export function createUnavailableApp(
  services: Pick<GatewayServices, 'config' | 'log' | 'apis'>,
  reason: () => string,
): Hono<Env> {
  const app = new Hono<Env>({ getPath: makePathReader(services.apis) })
  app.get('/api/ready', (c) =>
    c.json({ ...NOT_READY, reason: reason() }, 503, { 'cache-control': 'no-store' }),
  )
  app.get('/api/health', (c) => c.json(HEALTHY))
  app.route('/', makeAssetRoutes())
  app.all('*', () => {
    throw tryLater(RETRY_SECONDS, reason())
  })
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}
