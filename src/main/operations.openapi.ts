import { z } from 'zod'
import { READINESS } from '../http/metrics/readiness.ts'
import { failures } from '../http/openapi/failures.ts'
import { chapter, SERVER } from '../http/openapi/operations.ts'
import { BY_ID, FIELDS_ONLY, listQuery } from '../http/openapi/record-parameters.ts'
import { pageOf } from '../http/openapi/record-schema.ts'
import { ANYONE, NOBODY, SIGNED_IN } from '../http/openapi/security.ts'
import { json } from '../http/openapi/success-answers.ts'
import { JOB_FIGURES } from '../platform/jobs/job-queue.ts'

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
