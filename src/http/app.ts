import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DatabaseAway } from '../db/errors.ts'
import { ApiError, GatewayError, notFound } from '../errors.ts'
import { type Ctx, type Env, type Services, sendRaw } from './context.ts'
import { gate } from './gate.ts'
import { accountRoutes } from './routes/account.ts'
import { adminRoutes } from './routes/admin.ts'
import { authRoutes } from './routes/auth.ts'
import { batchRoutes } from './routes/batch.ts'
import { collectionRoutes } from './routes/collections.ts'
import { deviceRoutes } from './routes/devices.ts'
import { fileRoutes } from './routes/files.ts'
import { recordWriteRoutes } from './routes/record-writes.ts'
import { recordRoutes } from './routes/records.ts'
import { settingsRoutes } from './routes/settings.ts'
import { smsRoutes } from './routes/sms.ts'

/** All routes, and the one place where an error becomes JSON. */
export function createApp(services: Services): Hono<Env> {
  const app = new Hono<Env>()
  app.use('/api/*', gate(services))
  app.route('/api', adminRoutes(services))
  app.route('/api/collections', collectionRoutes(services))
  app.route('/api/collections', recordRoutes(services))
  app.route('/api/collections', recordWriteRoutes(services))
  app.route('/api/batch', batchRoutes(services))
  app.route('/api/collections', authRoutes(services))
  app.route('/api/files', fileRoutes(services))
  app.route('/api/settings', settingsRoutes(services))
  app.route('/', accountRoutes())
  app.route('/api/sms', smsRoutes(services))
  app.route('/api/devices', deviceRoutes(services))
  app.notFound((c) => answerError(c, unknownRoute(c)))
  app.onError((error, c) => {
    if (error instanceof GatewayError)
      return sendRaw(c, JSON.stringify(error.body), error.status as ContentfulStatusCode)
    if (error instanceof DatabaseAway) services.log.error({ err: error.cause }, 'the database is away')
    if (error instanceof ApiError) return answerError(c, error)
    services.log.error({ err: error, method: c.req.method, path: c.req.path }, 'a request failed')
    return answerError(c, new ApiError(500))
  })
  return app
}

/** PocketBase looks for a static file where no route is. */
function unknownRoute(c: Ctx): ApiError {
  const isFile = c.req.method === 'GET' || c.req.method === 'HEAD'
  return isFile ? notFound('File not found') : notFound()
}

function answerError(c: Ctx, error: ApiError): Response {
  const { data, message, status } = error
  return sendRaw(c, JSON.stringify({ data, message, status }), status as ContentfulStatusCode)
}
