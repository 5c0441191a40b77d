import { Hono } from 'hono'
import { RetryLater } from '../errors.ts'
import type { Readiness } from '../metrics/readiness.ts'
import type { Env, Services } from './context.ts'
import { OWN_ROUTES } from './description.ts'
import { answerFailure, answerUnknownRoute } from './middleware/failure.ts'
import { gate } from './middleware/gate.ts'
import { consoleRoutes, docsRoutes } from './pages/console.ts'
import { oauth2Routes } from './pages/oauth2.ts'
import { accountRoutes } from './routes/account.ts'
import { adminRoutes } from './routes/admin.ts'
import { authRoutes } from './routes/auth.ts'
import { backupRoutes } from './routes/backups.ts'
import { batchRoutes } from './routes/batch.ts'
import { campaignRoutes } from './routes/campaigns.ts'
import { collectionRoutes } from './routes/collections.ts'
import { deviceRoutes } from './routes/devices.ts'
import { fileRoutes } from './routes/files.ts'
import { operationsRoutes } from './routes/operations.ts'
import { pairingRoutes } from './routes/pairing.ts'
import { realtimeRoutes } from './routes/realtime.ts'
import { recordWriteRoutes } from './routes/record-writes.ts'
import { recordRoutes } from './routes/records.ts'
import { sentRoutes } from './routes/sent.ts'
import { settingsRoutes } from './routes/settings.ts'
import { smsRoutes } from './routes/sms.ts'
import { invitationRoutes } from './routes/team/invitations.ts'
import { memberRoutes } from './routes/team/members.ts'
import { userRoutes } from './routes/users.ts'
import { verifyRoutes } from './routes/verify.ts'
import { hookRoutes } from './routes/webhooks/hooks.ts'
import { webhookRoutes } from './routes/webhooks/webhooks.ts'
import { routedPath } from './server/front.ts'

/** All routes. What they throw becomes JSON in failure.ts. */
export function createApp(services: Services): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath(services.protocols) })
  app.route('/', operationsRoutes(services))
  app.use('/api/*', gate(services))
  app.route('/api', accountRoutes(services))
  app.route('/api/account', memberRoutes(services))
  app.route('/api/account', invitationRoutes(services))
  app.route('/api', adminRoutes(services))
  app.route('/api', backupRoutes(services))
  app.route('/api/users', userRoutes(services))
  app.route('/api/collections', collectionRoutes(services))
  app.route('/api/collections', recordRoutes(services))
  app.route('/api/collections', recordWriteRoutes(services))
  app.route('/api/batch', batchRoutes(services))
  app.route('/api/collections', authRoutes(services))
  app.route('/api/files', fileRoutes(services))
  app.route('/api/realtime', realtimeRoutes(services))
  app.route('/api/oauth2-redirect', oauth2Routes(services))
  app.route('/api/hooks', hookRoutes(services))
  app.route('/api/settings', settingsRoutes(services))
  app.route('/', docsRoutes(services, [OWN_ROUTES, ...services.protocols]))
  app.route('/', consoleRoutes(services))
  app.route('/api/sms', smsRoutes(services))
  app.route('/api/sms', sentRoutes(services))
  app.route('/api/verify', verifyRoutes(services))
  app.route('/api/campaigns', campaignRoutes(services))
  app.route('/api/devices', deviceRoutes(services))
  app.route('/api/devices', pairingRoutes(services))
  app.route('/api/webhooks', webhookRoutes(services))
  for (const { routes } of services.protocols) app.route('/', routes(services))
  app.notFound((c) => answerUnknownRoute(c, services))
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}

const RETRY_SECONDS = 5

const NOT_READY: Readiness = {
  ready: false,
  serving: false,
  database: { reachable: true, migrated: true, writable: true, listening: true },
  queue: null,
}

const HEALTHY = { message: 'API is healthy.', code: 200, data: {} } as const

/** Answers 503 while the server does not use the database. `reason`: the error's message. */
export function createUnavailableApp(
  services: Pick<Services, 'config' | 'log' | 'protocols'>,
  reason: () => string,
): Hono<Env> {
  const app = new Hono<Env>({ getPath: routedPath(services.protocols) })
  app.get('/api/ready', (c) =>
    c.json({ ...NOT_READY, reason: reason() }, 503, { 'cache-control': 'no-store' }),
  )
  app.get('/api/health', (c) => c.json(HEALTHY))
  app.all('*', () => {
    throw new RetryLater(503, RETRY_SECONDS, reason())
  })
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}
