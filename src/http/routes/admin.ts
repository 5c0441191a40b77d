import { Hono } from 'hono'
import { AUDIT_CATALOG, AUDIT_COLLECTION } from '../../auth/superusers/audit.ts'
import { readState } from '../../backup/service/state.ts'
import { roleWarning } from '../../db/role.ts'
import { notFound } from '../../errors.ts'
import { listRecords } from '../../records/read/list.ts'
import { indexWarnings } from '../../sms/large-history.ts'
import { lineWarnings } from '../../sms/usage/line-limits.ts'
import { readJobFigures } from '../../work/queue.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { listLogs, logStats, viewLog } from '../lists/log-list.ts'
import { auditRequest } from '../middleware/audit.ts'
import { requireSuperuser } from '../middleware/guards.ts'
import { authOf, readingRequest } from '../request-info.ts'
import { sendJson, sendRaw } from '../send-json.ts'
import { clientIp } from '../server/client-ip.ts'

/**
 * `/api/health`, `/api/logs`, `/api/crons` for PocketBase's dashboard, `/api/warnings`, `/api/jobs` for the
 * console. `/api/sql` never runs SQL. Contract 7.4
 */
export const adminRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/health', async (c) => sendJson(c, JSON.stringify(await health(c, services))))
    .get('/warnings', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(c, JSON.stringify(await warnings(services)))
    })
    .get('/jobs', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(c, JSON.stringify(await readJobFigures(services.store.db)))
    })
    .get('/logs', async (c) => {
      const auth = await requireSuperuser(c, services)
      return sendRaw(c, await listLogs(services, readingRequest(c, services, auth)))
    })
    .get('/logs/stats', async (c) => {
      const auth = await requireSuperuser(c, services)
      return sendJson(c, await logStats(services, readingRequest(c, services, auth)))
    })
    .get('/logs/:id', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(c, await viewLog(services, c.req.param('id')))
    })
    .get('/audit', async (c) => {
      const auth = await requireSuperuser(c, services)
      const alone = { db: services.store.db, catalog: AUDIT_CATALOG }
      return sendRaw(
        c,
        await listRecords(alone, services.extensions, AUDIT_COLLECTION, readingRequest(c, services, auth)),
      )
    })
    .get('/crons', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(c, JSON.stringify(services.jobs.map(({ id, expression }) => ({ id, expression }))))
    })
    .post('/crons/:id', async (c) => {
      const auth = await requireSuperuser(c, services)
      const job = services.jobs.find(({ id }) => id === c.req.param('id'))
      if (!job) throw notFound('Missing or invalid cron job')
      const failed = (error: unknown) => services.log.error({ err: error, job: job.id }, 'a job failed')
      await auditRequest(c, services, auth, { action: 'run job', record: job.id })
      void job.run().catch(failed)
      return c.body(null, 204)
    })
    .post('/sql', async (c) => {
      await requireSuperuser(c, services)
      throw notFound()
    })

/** What is wrong with how the server is set up, for the people who run it. */
async function warnings({ store }: Services): Promise<{ code: string; message: string }[]> {
  const role = await roleWarning(store.db)
  const indexes = await indexWarnings(store.db)
  const lines = await lineWarnings(store)
  return [
    ...(role ? [{ code: 'database_role', message: role }] : []),
    ...(indexes.length > 0 ? [{ code: 'indexes', message: indexes.join(' ') }] : []),
    ...(lines.full ? [{ code: 'lines_full', message: lines.full }] : []),
    ...(lines.near ? [{ code: 'lines_near_limits', message: lines.near }] : []),
  ]
}

/** What a load balancer asks for; a superuser also learns how the server sees the caller. */
async function health(c: Ctx, services: Services): Promise<object> {
  const auth = await authOf(c, services)
  const data = auth?.isSuperuser
    ? {
        canBackup: (await readState(services.store.db)).running === null,
        possibleProxyHeader: proxyHeader(c, services),
        realIP: clientIp(c, services),
      }
    : {}
  return { message: 'API is healthy.', code: 200, data }
}

/** The header with the client's address: a trusted or a known one. PocketBase: apis/health.go */
function proxyHeader(c: Ctx, { settings }: Services): string {
  const { headers } = c.env.incoming
  const names = [...settings.current.trustedProxy.headers, 'CF-Connecting-IP', 'Fly-Client-IP']
  return names.find((name) => headers[name.toLowerCase()]) ?? ''
}
