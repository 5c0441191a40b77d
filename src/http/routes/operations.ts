import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import { checkAddress } from '../../auth/sign-in.ts'
import { tokenOf } from '../../auth/tokens.ts'
import { expositionOf } from '../../metrics/exposition.ts'
import { READINESS, readinessOf } from '../../metrics/readiness.ts'
import { chapter, failures, json, NOBODY, SERVER, SIGNED_IN } from '../../openapi/operations.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { requireSuperuser } from '../middleware/audit.ts'
import { clientIp } from '../server/client-ip.ts'

/** `/api/ready` for proxies, `/metrics` for Prometheus (METRICS_TOKEN or a superuser). No rate limit. */
export function operationsRoutes(services: Services): Hono<Env> {
  const { traffic, realtime } = services
  const store = services.store.forEverybody('metrics')
  const readiness = readinessOf(store, services.stopping, services.workers)
  const source = { store, traffic, clients: () => realtime.clients, config: services.config }
  const exposition = expositionOf(source, services.workers)
  return new Hono<Env>()
    .get('/api/ready', async (c) => {
      const answer = await readiness()
      return c.json(answer, answer.ready ? 200 : 503, { 'cache-control': 'no-store' })
    })
    .get('/metrics', async (c) => {
      await requireWatcher(c, services)
      const { text, type } = await exposition()
      return c.body(text, 200, { 'content-type': type })
    })
}

async function requireWatcher(c: Ctx, services: Services): Promise<void> {
  const { metricsToken } = services.config
  const token = tokenOf(c.env.incoming.headers.authorization)
  if (metricsToken !== undefined && timingSafeEqual(digest(token), digest(metricsToken))) return
  c.header('www-authenticate', 'Bearer')
  const { auth } = await requireSuperuser(c, services)
  checkAddress(services, auth, clientIp(c, services))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

export const readyPaths = () =>
  chapter(SERVER, SIGNED_IN, {
    'GET /api/ready': {
      id: 'ready',
      summary: 'Ask whether to send requests here',
      description: 'For proxies: 503 when requests should go elsewhere. It is never rate limited.',
      security: NOBODY,
      answer: ['Yes.', READINESS],
      fails: { 500: failures()['500']!, 503: { description: 'No.', content: json(READINESS) } },
    },
  })
