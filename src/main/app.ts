import { Hono } from 'hono'
import { memberPaths, memberRoutes } from '../gateway/accounts/members-routes.ts'
import { accountPaths, accountRoutes, userPaths, userRoutes } from '../gateway/accounts/routes.ts'
import { campaignPaths, campaignRoutes } from '../gateway/campaigns/routes.ts'
import { carrierPaths, carrierRoutes } from '../gateway/carriers/routes.ts'
import { verifyPaths, verifyRoutes } from '../gateway/codes/routes.ts'
import { consentPagePaths } from '../gateway/consent/routes.openapi.ts'
import { consentPageRoutes } from '../gateway/consent/routes.ts'
import { hookPaths, hookRoutes } from '../gateway/hooks/routes.ts'
import { DEVICES, devicePaths } from '../gateway/messages/device-routes.openapi.ts'
import { deviceRoutes } from '../gateway/messages/device-routes.ts'
import { smsPaths } from '../gateway/messages/routes.openapi.ts'
import { smsRoutes } from '../gateway/messages/routes.ts'
import { sentTextRoutes } from '../gateway/messages/sent-texts-routes.ts'
import { personPaths, personRoutes } from '../gateway/people/routes.ts'
import { webhookCalls } from '../gateway/webhooks/calls.openapi.ts'
import { webhookPaths, webhookRoutes } from '../gateway/webhooks/routes.ts'
import type { Env } from '../http/context.ts'
import type { Readiness } from '../http/metrics/readiness.ts'
import { answerFailure, answerUnknownRoute } from '../http/middleware/failure.ts'
import { gate } from '../http/middleware/gate.ts'
import { refuseHead } from '../http/middleware/refuse-head.ts'
import type { DescribedRecords, DescribedRoutes } from '../http/openapi/document.ts'
import { ACCOUNT, SENDING, SERVER } from '../http/openapi/operations.ts'
import { authPaths } from '../http/routes/auth.openapi.ts'
import { authRoutes } from '../http/routes/auth.ts'
import { backupPaths } from '../http/routes/backups.openapi.ts'
import { backupRoutes } from '../http/routes/backups.ts'
import { batchPaths } from '../http/routes/batch.openapi.ts'
import { batchRoutes } from '../http/routes/batch.ts'
import { collectionRoutes } from '../http/routes/collections.ts'
import { filePaths, fileRoutes } from '../http/routes/files.ts'
import { oauth2Routes } from '../http/routes/oauth2.ts'
import { realtimePaths, realtimeRoutes } from '../http/routes/realtime.ts'
import { recordPaths } from '../http/routes/records.openapi.ts'
import { recordRoutes } from '../http/routes/records.ts'
import { settingsRoutes } from '../http/routes/settings.ts'
import { routedPath } from '../http/server/before-routes.ts'
import { RetryLater } from '../platform/errors.ts'
import type { GatewayServices } from '../protocols/gateway-services.ts'
import { assetRoutes, consoleRoutes, docsRoutes } from './console.ts'
import { adminPaths } from './operations.openapi.ts'
import { adminRoutes, operationsRoutes } from './operations.ts'

type Routes = (services: GatewayServices) => Hono<Env>

const ROUTES: readonly (readonly [root: string, Routes])[] = [
  ['/api', accountRoutes],
  ['/api/account', memberRoutes],
  ['/api', adminRoutes],
  ['/api', backupRoutes],
  ['/api/users', userRoutes],
  ['/api/collections', collectionRoutes],
  ['/api/collections', recordRoutes],
  ['/api/batch', batchRoutes],
  ['/api/collections/:collection', authRoutes],
  ['/api/files', fileRoutes],
  ['/api/realtime', realtimeRoutes],
  ['/api/oauth2-redirect', oauth2Routes],
  ['/api/hooks', hookRoutes],
  ['/api/settings', settingsRoutes],
  ['/api/sms', smsRoutes],
  ['/api/sms', sentTextRoutes],
  ['/api/verify', verifyRoutes],
  ['/api/campaigns', campaignRoutes],
  ['/api/devices/carriers', carrierRoutes],
  ['/api/devices', deviceRoutes],
  ['/api/webhooks', webhookRoutes],
  ['/api', personRoutes],
]

/** All routes of the server. `middleware/failure` answers the errors that they throw. */
export function createApp(services: GatewayServices): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath(services.protocols) })
  app.route('/', operationsRoutes(services))
  for (const path of headless(services)) app.use(path, refuseHead)
  app.use('/api/*', gate(services))
  app.use('/api/account/*', (c, next) => {
    c.header('cache-control', 'no-store')
    return next()
  })
  for (const [root, routes] of ROUTES) app.route(root, routes(services))
  app.route('/', docsRoutes(services, [OWN_ROUTES, ...services.protocols]))
  app.route('/', consentPageRoutes(services))
  app.route('/', consoleRoutes(services))
  for (const { routes } of services.protocols) app.route('/', routes(services))
  app.notFound((c) => answerUnknownRoute(c, services))
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}

/**
 * Our own GETs only read, except the last step of a sign-in with OAuth2, those that make a key once, and
 * calls of carriers.
 */
const CHANGING_GETS = [
  '/api/oauth2-redirect',
  '/api/account/push-key',
  '/api/devices/push-key',
  '/api/account/smsgate-key',
  '/api/contacts/:id/data',
  '/api/devices/carriers/calls/:token',
]

/** Paths at which a GET may change something: ours, and all of other products' APIs. */
const headless = ({ protocols }: GatewayServices) => [
  ...CHANGING_GETS,
  ...protocols.flatMap(({ roots }) => roots.map((root) => `${root}/*`)),
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
  services: Pick<GatewayServices, 'config' | 'log' | 'protocols'>,
  reason: () => string,
): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath(services.protocols) })
  app.get('/api/ready', (c) =>
    c.json({ ...NOT_READY, reason: reason() }, 503, { 'cache-control': 'no-store' }),
  )
  app.get('/api/health', (c) => c.json(HEALTHY))
  app.route('/', assetRoutes())
  app.all('*', () => {
    throw new RetryLater(503, RETRY_SECONDS, reason())
  })
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}

export const OWN_ROUTES: DescribedRoutes = {
  tags: [
    { name: SENDING, description: 'For the web app that sends.' },
    { name: DEVICES, description: 'For the program on a phone or beside a modem.' },
    { name: ACCOUNT, description: 'For the account that asks, and before it has signed in.' },
    { name: SERVER, description: 'Endpoints that belong to no collection.' },
  ],
  paths: (records) => ({
    ...smsPaths(records.schemaOf('sms_messages')!),
    ...verifyPaths(),
    ...campaignPaths(),
    ...devicePaths(records.schemaOf('devices')!),
    ...collectionPaths(records),
    ...webhookPaths(),
    ...hookPaths(),
    ...personPaths(),
    ...carrierPaths(),
    ...accountPaths(),
    ...memberPaths(),
    ...userPaths(),
    ...batchPaths(),
    ...realtimePaths(),
    ...adminPaths(),
    ...backupPaths(),
    ...filePaths(),
    ...consentPagePaths(),
  }),
  webhooks: webhookCalls,
}

function collectionPaths({ collections, schemaOf, extensions }: DescribedRecords) {
  const paths = collections.map((collection) => {
    const record = schemaOf(collection.id)!
    const signIn = collection.type === 'auth' ? authPaths(collection, record) : {}
    return { ...recordPaths(collection, record, extensions), ...signIn }
  })
  return Object.assign({}, ...paths)
}
