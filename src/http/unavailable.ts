import type { Hono } from 'hono'
import { RetryLater } from '../errors.ts'
import type { Readiness } from '../metrics/readiness.ts'
import { appWithErrorForms } from './app.ts'
import type { Env, Services } from './context.ts'
import { answerFailure } from './middleware/failure.ts'

const RETRY_SECONDS = 5

const NOT_READY: Readiness = {
  ready: false,
  serving: false,
  database: { reachable: true, migrated: true, writable: true, listening: true },
  queue: null,
}

/** Answers liveness probes, so that the process is not killed while it waits for the database. */
const HEALTHY = { message: 'API is healthy.', code: 200, data: {} } as const

/** Answers 503 while the server does not use the database. `reason`: the error's message. */
export function createUnavailableApp(
  services: Pick<Services, 'config' | 'log' | 'protocols'>,
  reason: () => string,
): Hono<Env> {
  const app = appWithErrorForms(services.protocols)
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
