import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { failures, success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
import { BY_ID, listQuery, ONE, pageOf } from '../schemas/record-query.ts'
import { SIGNED_IN } from '../schemas/security.ts'
import { SERVER } from './server-paths.ts'

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

const EXAMPLE = {
  id: 'k3v9x0c2m5n8b1a',
  created: '2026-11-20 07:00:00.000Z',
  data: {
    auth: 'users',
    error: 'Something went wrong while processing your request.',
    execTime: 1.2,
    method: 'GET',
    status: 400,
    type: 'request',
    url: '/api/collections/contacts/records?filter=nope = …',
  },
  message: 'GET /api/collections/contacts/records?filter=nope = …',
  level: 8,
}

const HOURS = z
  .array(z.object({ date: z.string(), total: z.int().min(1) }))
  .meta({ id: 'LogStatistics', description: 'By the hour; hours without any are left out.' })

const LIST = listQuery().query
const fields = ONE.query.pick({ fields: true })

/** Requests that failed, for superusers. */
export const logPaths = (): ZodOpenApiPathsObject =>
  chapter(SERVER, SIGNED_IN, {
    'GET /api/logs': {
      id: 'listLogs',
      summary: 'Look up what failed',
      description: 'For superusers. Filters know `id`, `created`, `level`, `message` and `data.…`.',
      params: { query: LIST.omit({ expand: true }) },
      responses: [success('A page of them.', pageOf(LOG, 'LogPage')), failures(400, 401)],
    },
    'GET /api/logs/stats': {
      id: 'countLogs',
      summary: 'Count what failed, by the hour',
      description: 'For superusers.',
      params: { query: LIST.pick({ filter: true, fields: true }) },
      responses: [success('How many there were.', HOURS), failures(400, 401)],
    },
    'GET /api/logs/{id}': {
      id: 'viewLog',
      summary: 'One of them',
      description: 'For superusers.',
      params: { path: BY_ID.path, query: fields },
      responses: [success('It.', LOG, EXAMPLE), failures(401, 404)],
    },
  })
