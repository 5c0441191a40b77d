import { Hono, type MiddlewareHandler } from 'hono'
import { getPath } from 'hono/utils/url'
import { MOBILE_PATH } from '../smsgate/setup.ts'
import { CLIENT_PATH, canonicalPath } from '../smsgate-client/path.ts'
import type { Env, Services } from './context.ts'
import { answerFailure, answerUnknownRoute } from './middleware/failure.ts'
import { gate } from './middleware/gate.ts'
import { docsRoutes } from './pages/docs.ts'
import { accountRoutes } from './routes/account.ts'
import { adminRoutes } from './routes/admin.ts'
import { authRoutes } from './routes/auth.ts'
import { backupRoutes } from './routes/backups.ts'
import { batchRoutes } from './routes/batch.ts'
import { campaignRoutes } from './routes/campaigns.ts'
import { collectionRoutes } from './routes/collections.ts'
import { consoleRoutes } from './routes/console.ts'
import { deviceRoutes } from './routes/devices.ts'
import { exportRoutes } from './routes/export.ts'
import { fileRoutes } from './routes/files.ts'
import { oauth2Routes } from './routes/oauth2.ts'
import { operationsRoutes } from './routes/operations.ts'
import { mcpRoutes } from './routes/protocols/mcp.ts'
import { mobileRoutes } from './routes/protocols/mobile.ts'
import { realtimeRoutes } from './routes/realtime.ts'
import { recordWriteRoutes } from './routes/record-writes.ts'
import { recordRoutes } from './routes/records.ts'
import { settingsRoutes } from './routes/settings.ts'
import { smsRoutes } from './routes/sms.ts'
import { userRoutes } from './routes/users.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { smsgateClientRoutes } from './smsgate-client/routes.ts'
import { twilioRoutes } from './twilio/routes.ts'

type Family = readonly [root: string, routes: (services: Services) => Hono<Env>]

/** Routes whose errors are `{"error","message"}`, whatever raises them. */
const GATEWAY: readonly Family[] = [
  ['/api/sms', smsRoutes],
  ['/api/campaigns', campaignRoutes],
  ['/api/devices', deviceRoutes],
  ['/api/webhooks', webhookRoutes],
  ['/mcp', mcpRoutes],
]
/** Routes for the SMSGate app and for programs of its server, which read `{"message"}`. */
const SMSGATE: readonly Family[] = [
  [MOBILE_PATH, mobileRoutes],
  [CLIENT_PATH, smsgateClientRoutes],
]

/** An app without routes that knows the form of errors below each root, also where no route is. */
export function appWithErrorForms(): Hono<Env> {
  const app = new Hono<Env>({ getPath: (request) => canonicalPath(getPath(request)) })
  const answerAs =
    (form: 'gateway' | 'smsgate'): MiddlewareHandler<Env> =>
    (c, next) => {
      c.set('errorForm', form)
      return next()
    }
  for (const [root] of GATEWAY) app.use(`${root}/*`, answerAs('gateway'))
  for (const [root] of SMSGATE) app.use(`${root}/*`, answerAs('smsgate'))
  return app
}

/** All routes. What they throw becomes JSON in failure.ts. */
export function createApp(services: Services): Hono<Env> {
  const app = appWithErrorForms()
  app.route('/', operationsRoutes(services))
  app.use('/api/*', gate(services))
  app.use('/mcp', gate(services))
  app.route('/api', accountRoutes(services))
  app.route('/api', adminRoutes(services))
  app.route('/api', backupRoutes(services))
  app.route('/api/users', userRoutes(services))
  app.route('/api/collections', collectionRoutes(services))
  app.route('/api/collections', recordRoutes(services))
  app.route('/api/collections', exportRoutes(services))
  app.route('/api/collections', recordWriteRoutes(services))
  app.route('/api/batch', batchRoutes(services))
  app.route('/api/collections', authRoutes(services))
  app.route('/api/files', fileRoutes(services))
  app.route('/api/realtime', realtimeRoutes(services))
  app.route('/api/oauth2-redirect', oauth2Routes(services))
  app.route('/api/settings', settingsRoutes(services))
  app.route('/', docsRoutes(services))
  app.route('/', consoleRoutes(services))
  app.route('/', twilioRoutes(services))
  for (const [root, routes] of [...GATEWAY, ...SMSGATE]) app.route(root, routes(services))
  app.notFound(answerUnknownRoute)
  app.onError((error, c) => answerFailure(c, error, services))
  return app
}
