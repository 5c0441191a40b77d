import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { done, failures, json, success } from '../schemas/answers.ts'
import { API_ERROR, BATCH_ERROR } from '../schemas/errors.ts'
import { chapter } from '../schemas/operations.ts'
import { ONE } from '../schemas/record-query.ts'
import { ANYONE, NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** The chapter of the description. */
export const SERVER = 'server'

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
        code: z.enum(['database_role', 'indexes', 'lines_full', 'lines_near_limits']),
        message: z.string().describe('What is wrong, and what to do.'),
      })
      .meta({ id: 'Warning' }),
  )
  .meta({ id: 'Warnings' })

const JOBS = z
  .array(
    z
      .object({
        kind: z.string(),
        open: z.int().min(0).describe('Jobs that wait or run.'),
        dead: z.int().min(0).describe('Jobs that failed too often. They are kept for a week.'),
        oldest_seconds: z.number().min(0).describe('How long the oldest due job has waited.'),
        last_error: z.string().describe('Why a job failed.'),
      })
      .meta({ id: 'JobFigures' }),
  )
  .meta({ id: 'AllJobFigures' })

const READY = z
  .object({
    ready: z.boolean(),
    serving: z.boolean().describe('False once the server was told to stop.'),
    database: z.object({
      reachable: z.boolean(),
      migrated: z.boolean(),
      listening: z
        .boolean()
        .describe('False behind a pooler in transaction mode: changes are found by polling then.'),
    }),
    queue: z
      .object({ due: z.int().min(0), oldest_seconds: z.number().min(0) })
      .nullable()
      .describe('Messages that a device should have by now, and how long the oldest of them waits.'),
    replica: z
      .object({ state: z.enum(['used', 'late', 'away', 'unfit']), lag_bytes: z.number().min(0).nullable() })
      .optional()
      .describe('The replica that `DATABASE_REPLICA_URL` names.'),
    workers: z
      .array(
        z.object({
          worker: z.int().min(1),
          state: z.enum(['starting', 'serving', 'down']),
          restarts: z.int().min(0).describe('How often it ended without being told to.'),
          started: z.string().describe('When its process was started, ISO 8601.'),
        }),
      )
      .optional()
      .describe('All workers behind the port, where `WORKERS` makes several.'),
  })
  .meta({ id: 'Readiness' })

const BATCH = z
  .object({
    requests: z
      .array(
        z.object({
          method: z
            .enum(['POST', 'PATCH', 'PUT', 'DELETE'])
            .describe('PUT updates, or creates what is not there.'),
          url: z.string().max(2000).describe('Path and query of a create, update or delete of a record.'),
          headers: z.record(z.string(), z.string()).nullish(),
          body: z.record(z.string(), z.unknown()).nullish(),
        }),
      )
      .min(1),
  })
  .meta({ id: 'Batch' })

const BATCH_EXAMPLE = {
  requests: [
    {
      method: 'POST',
      url: '/api/collections/contact_groups/records',
      body: { user: 'q0w9e8r7t6y5u4i', name: 'staff' },
    },
    { method: 'DELETE', url: '/api/collections/contacts/records/k3v9x0c2m5n8b1a' },
  ],
}

const BATCH_ANSWER = z
  .array(z.object({ body: z.record(z.string(), z.unknown()).nullable(), status: z.int() }))
  .meta({ id: 'BatchAnswers' })

const SUBSCRIPTION = z
  .object({
    clientId: z.string().max(255).describe('Out of the first event of the stream, `PB_CONNECT`.'),
    subscriptions: z
      .array(z.string())
      .describe(
        'Topics as `sms_messages/*` or `contacts/ID`; they take the place of those before. An empty list ends all.',
      ),
  })
  .meta({ id: 'Subscription' })

/** What is about no one collection. */
export const serverPaths = (): ZodOpenApiPathsObject =>
  chapter(SERVER, SIGNED_IN, {
    'POST /api/batch': {
      id: 'batch',
      summary: 'Write several records at once',
      description: 'Creates, updates and deletes records in one transaction: all or none.',
      security: ANYONE,
      params: { query: ONE.query.pick({ fields: true }) },
      requestBody: {
        required: true,
        content: { ...json(BATCH, BATCH_EXAMPLE), 'multipart/form-data': { schema: z.looseObject({}) } },
      },
      responses: [
        success('An answer for each request, in their order.', BATCH_ANSWER),
        failures(413),
        { 400: { description: 'Nothing was written.', content: json(z.union([BATCH_ERROR, API_ERROR])) } },
      ],
    },
    'GET /api/realtime': {
      id: 'listen',
      summary: 'Listen for changes of records',
      description:
        "PocketBase's event stream. The first event, `PB_CONNECT`, has the `clientId`; then come `{action, record}` for each topic subscribed to.",
      security: NOBODY,
      responses: [
        { 200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } } },
        failures(400),
      ],
    },
    'POST /api/realtime': {
      id: 'subscribe',
      summary: 'Say what to listen for',
      description: 'The client gets changes of records that its rules let it see.',
      security: ANYONE,
      body: [SUBSCRIPTION, { clientId: 'a1b2c3', subscriptions: ['sms_messages/*'] }],
      responses: [done('Subscribed.'), failures(400, 404, 413, 429, 503)],
    },
    'GET /api/ready': {
      id: 'ready',
      summary: 'Ask whether to send requests here',
      description: 'For proxies: 503 when requests should go elsewhere. It is never rate limited.',
      security: NOBODY,
      responses: [
        success('Yes.', READY),
        { 500: failures()['500']!, 503: { description: 'No.', content: json(READY) } },
      ],
    },
    'GET /api/warnings': {
      id: 'warnings',
      summary: 'Ask what is wrong with the setup',
      description: 'For superusers. Empty when there is nothing to warn of.',
      responses: [success('All warnings.', WARNINGS), failures(401)],
    },
    'GET /api/jobs': {
      id: 'jobFigures',
      summary: 'Count background jobs',
      description: 'For superusers. Kinds without jobs are missing.',
      responses: [success('Figures of each kind.', JOBS), failures(401)],
    },
    'GET /api/health': {
      id: 'health',
      summary: 'Ask whether the server answers',
      security: ANYONE,
      params: { query: ONE.query.pick({ fields: true }) },
      responses: [
        success('It does.', HEALTH, { message: 'API is healthy.', code: 200, data: {} }),
        failures(),
      ],
    },
  })
