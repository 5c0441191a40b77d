import { z } from 'zod'
import { loadBackupState } from '../engine/backup/state.ts'
import type { Store } from '../engine/collections/catalog.ts'
import { listLineWarnings } from '../gateway/lines/lines-near-limit.ts'
import { listIndexWarnings } from '../gateway/messages/history-indexes.ts'
import { allowByRules, allowEverybody, allowSuperuser } from '../http/allow-callers.ts'
import { authenticate } from '../http/attempt.ts'
import { makeRoutes, makeUndescribedRow } from '../http/make-routes.ts'
import { findDiskWarning, readDisk } from '../http/metrics/disk.ts'
import { makeReadinessProbe, READINESS } from '../http/metrics/readiness.ts'
import { auditRequest } from '../http/middleware/audit-requests.ts'
import { SERVER_TAG } from '../http/openapi/describe-operations.ts'
import { listFailureAnswers } from '../http/openapi/failures.ts'
import { FIELDS_ONLY } from '../http/openapi/record-parameters.ts'
import { describeJson } from '../http/openapi/success-answers.ts'
import type { Ctx, Services } from '../http/request-context.ts'
import { sendJson } from '../http/send-answer.ts'
import { notFound } from '../platform/api-errors.ts'
import type { Config } from '../platform/config.ts'
import { findRoleWarning } from '../platform/db/role-warning.ts'
import { JOB_FIGURES, loadJobFigures } from '../platform/jobs/job-queue.ts'

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

/** For proxies. */
export const READY_ROUTES = makeRoutes(SERVER_TAG, {
  'GET /api/ready': {
    permission: allowEverybody(),
    unlimited: true,
    bound: {
      cost: 'the queue of all accounts',
      by: 'one statement at a time, shared by all requests',
    },
    describe: {
      id: 'ready',
      summary: 'Ask whether to send requests here',
      description: 'For proxies: 503 when requests should go elsewhere. It is never rate limited.',
      answer: ['Yes.', READINESS],
      fails: {
        500: listFailureAnswers()['500']!,
        503: { description: 'No.', content: describeJson(READINESS) },
      },
    },
    run: async ({ services }, c) => {
      const answer = await makeReadinessProbe(services)()
      return c.json(answer, answer.ready ? 200 : 503, { 'cache-control': 'no-store' })
    },
  },
})

/** Health, warnings, jobs and crons. `/api/sql` always answers 404. Contract 7.4 */
export const OPERATION_ROUTES = makeRoutes(
  SERVER_TAG,
  {
    'GET /api/warnings': {
      permission: allowSuperuser,
      bound: 'superusers',
      describe: {
        id: 'warnings',
        summary: 'List problems of the setup',
        description: 'For superusers. Empty when there is nothing to warn of.',
        answer: ['All warnings.', WARNINGS],
      },
      run: ({ store, services }) => listWarnings(store, services.config),
    },
    'GET /api/jobs': {
      permission: allowSuperuser,
      bound: { cost: 'jobs of all accounts', by: 'only superusers' },
      describe: {
        id: 'jobFigures',
        summary: 'Count background jobs',
        description: 'For superusers. Kinds without jobs are missing.',
        answer: ['Figures of each kind.', z.array(JOB_FIGURES).meta({ id: 'AllJobFigures' })],
      },
      run: ({ store }) => loadJobFigures(store.db),
    },
    'GET /api/health': {
      permission: allowByRules('viewer'),
      bound: 'keys',
      describe: {
        id: 'health',
        summary: 'Ask whether the server answers',
        params: FIELDS_ONLY,
        answer: ['It does.', HEALTH],
      },
      run: ({ services }, c) => answerHealth(c, services),
    },
    'GET /api/crons': makeUndescribedRow(allowSuperuser, 'no rows', ({ services }) =>
      services.jobs.map(({ id, expression }) => ({ id, expression })),
    ),
    'POST /api/crons/:id': makeUndescribedRow(
      allowSuperuser,
      { cost: 'the job', by: 'only superusers; the bounds of the job' },
      async ({ auth, services }, c, id) => {
        const { jobs, log } = services
        const job = jobs.find((one) => one.id === id)
        if (!job) throw notFound('Missing or invalid cron job')
        await auditRequest(c, auth, { action: 'run job', record: id })
        void job.run().catch((err: unknown) => log.error({ err, job: id }, 'a job failed'))
      },
    ),
    'POST /api/sql': makeUndescribedRow(allowSuperuser, 'no rows', () => {
      throw notFound()
    }),
  },
  sendJson,
)

async function listWarnings(
  store: Store,
  config: Config,
): Promise<{ code: string; message: string }[]> {
  const role = await findRoleWarning(store.db)
  const indexes = await listIndexWarnings(store.db)
  const lines = await listLineWarnings(store)
  const disk = await readDisk(config).catch(() => undefined)
  const room = disk && findDiskWarning(disk)
  return [
    ...(room ? [{ code: 'disk_space', message: room }] : []),
    ...(role ? [{ code: 'database_role', message: role }] : []),
    ...(indexes.length > 0 ? [{ code: 'indexes', message: indexes.join(' ') }] : []),
    ...(lines.full ? [{ code: 'lines_full', message: lines.full }] : []),
    ...(lines.near ? [{ code: 'lines_near_limits', message: lines.near }] : []),
  ]
}

async function answerHealth(c: Ctx, services: Services): Promise<object> {
  const auth = await authenticate(c, services)
  const data = auth?.isSuperuser
    ? {
        canBackup: (await loadBackupState(c.env.incoming.openStore(auth).db)).running === null,
        possibleProxyHeader: findProxyHeader(c, services),
        realIP: c.env.incoming.ip,
      }
    : {}
  return { message: 'API is healthy.', code: 200, data }
}

function findProxyHeader(c: Ctx, { settings }: Services): string {
  const { headers } = c.env.incoming
  const known = ['CF-Connecting-IP', 'Fly-Client-IP', 'X-Forwarded-For']
  const names = [...settings.current.trustedProxy.headers, ...known]
  return names.find((name) => headers[name.toLowerCase()]) ?? ''
}
