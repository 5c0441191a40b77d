import type { Hono } from 'hono'
import { readState } from '../engine/backup/state.ts'
import type { Store } from '../engine/collections/catalog.ts'
import { deleteAllLogs } from '../engine/logs/request-log.ts'
import { listRecords } from '../engine/records/list.ts'
import { lineWarnings } from '../gateway/lines/lines-near-limit.ts'
import { indexWarnings } from '../gateway/messages/history-indexes.ts'
import { sendJson, sendRaw } from '../http/answer.ts'
import { authOf, buildRequest } from '../http/authenticate.ts'
import type { Ctx, Env, Services } from '../http/context.ts'
import { listLogs, logStats, plainList, viewLog } from '../http/lists.ts'
import { diskWarning, readDisk } from '../http/metrics/disk.ts'
import { auditRequest } from '../http/middleware/audit.ts'
import { superuserRoutes } from '../http/middleware/require-caller.ts'
import { clientIp, storeOf } from '../http/server/caller.ts'
import type { Config } from '../platform/config.ts'
import { roleWarning } from '../platform/db/role-warning.ts'
import { notFound } from '../platform/errors.ts'
import { readJobFigures } from '../platform/jobs/job-queue.ts'

/** The audit log of superusers' actions. It is no collection, so clients can only list it. */
const AUDIT = plainList('_audit', [
  ['id', 'text'],
  ['created', 'date'],
  ...['superuser', 'email', 'ip', 'action', 'collection', 'record'].map((name) => [name, 'text'] as const),
  ['fields', 'json'],
])

/** Routes for health, logs, crons, warnings and jobs. `/api/sql` always answers 404. Contract 7.4 */
export function adminRoutes(services: Services): Hono<Env> {
  const { config, extensions, jobs, log, logs } = services
  const routes = superuserRoutes(services, {
    'GET /warnings': ({ store }) => warnings(store, config),
    'GET /jobs': ({ store }) => readJobFigures(store.db),
    'GET /logs': async ({ auth, store }, c) =>
      sendRaw(c, await listLogs(store, services, buildRequest(c, auth, {}))),
    'DELETE /logs': async ({ auth, store }, c) => {
      await logs.flush()
      await auditRequest(c, services, auth, { action: 'delete logs' })
      await deleteAllLogs(store.db)
    },
    'GET /logs/stats': ({ auth, store }, c) => logStats(store, services, buildRequest(c, auth, {})),
    'GET /logs/:id': ({ store }, _, id) => viewLog(store, services, id),
    'GET /audit': async ({ auth, store: { db } }, c) => {
      const alone = { db, catalog: AUDIT.alone }
      return sendRaw(c, await listRecords(alone, extensions, AUDIT.collection, buildRequest(c, auth, {})))
    },
    'GET /crons': () => jobs.map(({ id, expression }) => ({ id, expression })),
    'POST /crons/:id': async ({ auth }, c, id) => {
      const job = jobs.find((one) => one.id === id)
      if (!job) throw notFound('Missing or invalid cron job')
      await auditRequest(c, services, auth, { action: 'run job', record: id })
      void job.run().catch((err: unknown) => log.error({ err, job: id }, 'a job failed'))
    },
    'POST /sql': () => {
      throw notFound()
    },
  })
  return routes.get('/health', async (c) => sendJson(c, JSON.stringify(await health(c, services))))
}

async function warnings(store: Store, config: Config): Promise<{ code: string; message: string }[]> {
  const role = await roleWarning(store.db)
  const indexes = await indexWarnings(store.db)
  const lines = await lineWarnings(store)
  const disk = await readDisk(config).catch(() => undefined)
  const room = disk && diskWarning(disk)
  return [
    ...(room ? [{ code: 'disk_space', message: room }] : []),
    ...(role ? [{ code: 'database_role', message: role }] : []),
    ...(indexes.length > 0 ? [{ code: 'indexes', message: indexes.join(' ') }] : []),
    ...(lines.full ? [{ code: 'lines_full', message: lines.full }] : []),
    ...(lines.near ? [{ code: 'lines_near_limits', message: lines.near }] : []),
  ]
}

async function health(c: Ctx, services: Services): Promise<object> {
  const auth = await authOf(c, services)
  const data = auth?.isSuperuser
    ? {
        canBackup: (await readState(storeOf(c, services, auth).db)).running === null,
        possibleProxyHeader: proxyHeader(c, services),
        realIP: clientIp(c, services),
      }
    : {}
  return { message: 'API is healthy.', code: 200, data }
}

function proxyHeader(c: Ctx, { settings }: Services): string {
  const { headers } = c.env.incoming
  const known = ['CF-Connecting-IP', 'Fly-Client-IP', 'X-Forwarded-For']
  const names = [...settings.current.trustedProxy.headers, ...known]
  return names.find((name) => headers[name.toLowerCase()]) ?? ''
}
