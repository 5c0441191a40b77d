import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import { checkAddress } from '../engine/auth/superuser-addresses.ts'
import { requireSuperuserFactor } from '../engine/auth/superuser-factor.ts'
import { makeExposition } from '../http/metrics/prometheus-exposition.ts'
import { requireSuperuser } from '../http/middleware/require-caller.ts'
import type { Ctx, Env, Services } from '../http/request-context.ts'
import { listSharedFamilies } from './features.ts'

/** `/metrics` for Prometheus (METRICS_TOKEN or a superuser). No rate limit. */
export function makeMetricsRoutes(services: Services): Hono<Env> {
  const { traffic, realtime } = services
  const store = services.store.forEverybody('metrics')
  const shared = listSharedFamilies({ store, config: services.config })
  const source = { store, traffic, clients: () => realtime.clients, shared }
  const exposition = makeExposition(source, services.workers)
  return new Hono<Env>().get('/metrics', async (c) => {
    await requireMetricsToken(c, services)
    const { text, type } = await exposition()
    return c.body(text, 200, { 'content-type': type })
  })
}

async function requireMetricsToken(c: Ctx, services: Services): Promise<void> {
  const { metricsToken } = services.config
  const token = c.env.incoming.token
  if (metricsToken !== undefined && timingSafeEqual(hashText(token), hashText(metricsToken))) return
  c.header('www-authenticate', 'Bearer')
  const { auth } = await requireSuperuser(c, services)
  checkAddress(services, auth, c.env.incoming.ip)
  await requireSuperuserFactor(services, auth, c.req.path)
}

const hashText = (text: string) => createHash('sha256').update(text).digest()
