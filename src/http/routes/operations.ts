import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import { z } from 'zod'
import { checkAddress } from '../../auth/superuser-addresses.ts'
import { readState } from '../../backup/state.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { roleWarning } from '../../db/server.ts'
import { notFound } from '../../errors.ts'
import { deleteAllLogs } from '../../logs/request-log.ts'
import { diskWarning, readDisk } from '../../metrics/disk.ts'
import { expositionOf } from '../../metrics/exposition.ts'
import { READINESS, readinessOf } from '../../metrics/readiness.ts'
import { json } from '../../openapi/content.ts'
import { failures } from '../../openapi/failures.ts'
import { chapter, SERVER } from '../../openapi/operations.ts'
import { BY_ID, FIELDS_ONLY, listQuery } from '../../openapi/record-parameters.ts'
import { pageOf } from '../../openapi/record-schema.ts'
import { ANYONE, NOBODY, SIGNED_IN } from '../../openapi/security.ts'
import { listRecords } from '../../records/list.ts'
import { indexWarnings } from '../../sms/large-history.ts'
import { lineWarnings } from '../../sms/line-figures.ts'
import { JOB_FIGURES, readJobFigures } from '../../work/jobs.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { listLogs, logStats, plainList, viewLog } from '../lists.ts'
import { auditRequest, requireSuperuser, superuserRoutes } from '../middleware/audit.ts'
import { authOf, buildRequest, ownToken, sendJson, sendRaw } from '../request-info.ts'
import { clientIp, storeOf } from '../server/store-of.ts'

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
  const token = ownToken(c)
  if (metricsToken !== undefined && timingSafeEqual(digest(token), digest(metricsToken))) return
  c.header('www-authenticate', 'Bearer')
  const { auth } = await requireSuperuser(c, services)
  checkAddress(services, auth, clientIp(c, services))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

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

const HEALTH = z
  .object({
    message: z.string(),
    code: z.literal(200),
    data: z.object({
      canBackup: z.boolean().optional(),
      possibleProxyHeader: z.string().optional(),
      realIP: z.string().optional().describe('Where the server thinks that the request came from.'),
    }),
  })
  .meta({ id: 'Health' })

const WARNINGS = z
  .array(
    z
      .object({
        code: z.enum(['disk_space', 'database_role', 'indexes', 'lines_full', 'lines_near_limits']),
        message: z.string().describe('A problem, and its solution.'),
      })
      .meta({ id: 'Warning' }),
  )
  .meta({ id: 'Warnings' })

const LOG = z
  .object({
    id: z.string(),
    created: z.string(),
    data: z
      .record(z.string(), z.unknown())
      .describe('Of a request: `status`, `method`, `url`, `auth`, `error`, `execTime` in ms, and so on.'),
    message: z.string(),
    level: z.int().describe('8: it failed; -4: it went well.'),
  })
  .meta({ id: 'Log' })

const HOURS = z
  .array(z.object({ date: z.string(), total: z.int().min(1) }))
  .meta({ id: 'LogStatistics', description: 'By the hour; hours without any are left out.' })

const LIST = listQuery().query

export const adminPaths = () =>
  chapter(SERVER, SIGNED_IN, {
    'GET /api/ready': {
      id: 'ready',
      summary: 'Ask whether to send requests here',
      description: 'For proxies: 503 when requests should go elsewhere. It is never rate limited.',
      security: NOBODY,
      answer: ['Yes.', READINESS],
      fails: { 500: failures()['500']!, 503: { description: 'No.', content: json(READINESS) } },
    },
    'GET /api/warnings': {
      id: 'warnings',
      summary: 'List problems of the setup',
      description: 'For superusers. Empty when there is nothing to warn of.',
      answer: ['All warnings.', WARNINGS],
    },
    'GET /api/jobs': {
      id: 'jobFigures',
      summary: 'Count background jobs',
      description: 'For superusers. Kinds without jobs are missing.',
      answer: ['Figures of each kind.', z.array(JOB_FIGURES).meta({ id: 'AllJobFigures' })],
    },
    'GET /api/health': {
      id: 'health',
      summary: 'Ask whether the server answers',
      security: ANYONE,
      params: FIELDS_ONLY,
      answer: ['It does.', HEALTH],
    },
    'GET /api/logs': {
      id: 'listLogs',
      summary: 'List failed requests',
      description: 'For superusers. Filters may use `id`, `created`, `level`, `message` and `data.…`.',
      params: { query: LIST.omit({ expand: true }) },
      answer: ['A page of them.', pageOf(LOG, 'LogPage')],
      fails: [400, 401],
    },
    'DELETE /api/logs': {
      id: 'deleteLogs',
      summary: 'Delete all of them',
      description: 'For superusers. Later failures are logged again.',
      answer: ['They are deleted.'],
    },
    'GET /api/logs/stats': {
      id: 'countLogs',
      summary: 'Count failed requests by hour',
      description: 'For superusers.',
      params: { query: LIST.pick({ filter: true, fields: true }) },
      answer: ['The counts.', HOURS],
      fails: [400, 401],
    },
    'GET /api/logs/{id}': {
      id: 'viewLog',
      summary: 'Read a failed request',
      description: 'For superusers.',
      params: { path: BY_ID.path, ...FIELDS_ONLY },
      answer: ['It.', LOG],
      fails: [401, 404],
    },
  })
