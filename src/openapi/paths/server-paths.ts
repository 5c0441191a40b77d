import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { answers, done, failures, json, success } from '../schemas/answers.ts'
import { API_ERROR, BATCH_ERROR } from '../schemas/errors.ts'
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
      realIP: z
        .string()
        .optional()
        .meta({ description: 'Where the server thinks that the request came from.' }),
    }),
  })
  .meta({ id: 'Health' })

const WARNINGS = z
  .array(
    z
      .object({
        code: z.enum(['database_role', 'indexes', 'lines_full', 'lines_near_limits']),
        message: z.string().meta({ description: 'What is wrong, and what to do.' }),
      })
      .meta({ id: 'Warning' }),
  )
  .meta({ id: 'Warnings' })

const JOBS = z
  .array(
    z
      .object({
        kind: z.string(),
        open: z.int().min(0).meta({ description: 'Jobs that wait or run.' }),
        dead: z.int().min(0).meta({ description: 'Jobs that failed too often. They are kept for a week.' }),
        oldest_seconds: z.number().min(0).meta({ description: 'How long the oldest due job has waited.' }),
        last_error: z.string().meta({ description: 'Why a job failed.' }),
      })
      .meta({ id: 'JobFigures' }),
  )
  .meta({ id: 'AllJobFigures' })

const READY = z
  .object({
    ready: z.boolean(),
    serving: z.boolean().meta({ description: 'False once the server was told to stop.' }),
    database: z.object({ reachable: z.boolean(), migrated: z.boolean() }),
    queue: z
      .object({ due: z.int().min(0), oldest_seconds: z.number().min(0) })
      .nullable()
      .meta({
        description: 'Messages that a device should have by now, and how long the oldest of them waits.',
      }),
    replica: z
      .object({
        state: z.enum(['used', 'late', 'away', 'unfit']),
        lag_bytes: z.number().min(0).nullable(),
      })
      .optional()
      .meta({ description: 'The replica that `DATABASE_REPLICA_URL` names.' }),
    workers: z
      .array(
        z.object({
          worker: z.int().min(1),
          state: z.enum(['starting', 'serving', 'down']),
          restarts: z.int().min(0).meta({ description: 'How often it ended without being told to.' }),
          started: z.string().meta({ description: 'When its process was started, ISO 8601.' }),
        }),
      )
      .optional()
      .meta({ description: 'All workers behind the port, where `WORKERS` makes several.' }),
  })
  .meta({ id: 'Readiness' })

const BATCH = z
  .object({
    requests: z
      .array(
        z.object({
          method: z
            .enum(['POST', 'PATCH', 'PUT', 'DELETE'])
            .meta({ description: 'PUT updates, or creates what is not there.' }),
          url: z
            .string()
            .max(2000)
            .meta({ description: 'Path and query of a create, update or delete of a record.' }),
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
    clientId: z
      .string()
      .max(255)
      .meta({ description: 'Out of the first event of the stream, `PB_CONNECT`.' }),
    subscriptions: z.array(z.string()).meta({
      description:
        'Topics as `sms_messages/*` or `contacts/ID`; they take the place of those before. An empty list ends all.',
    }),
  })
  .meta({ id: 'Subscription' })

/** What is about no one collection. */
export const serverPaths = (): ZodOpenApiPathsObject => ({
  '/api/batch': {
    post: {
      operationId: 'batch',
      tags: [SERVER],
      summary: 'Write several records at once',
      description: 'Creates, updates and deletes records in one transaction: all or none.',
      security: ANYONE,
      requestParams: { query: ONE.query.pick({ fields: true }) },
      requestBody: {
        required: true,
        content: { ...json(BATCH, BATCH_EXAMPLE), 'multipart/form-data': { schema: z.looseObject({}) } },
      },
      responses: answers(
        success('An answer for each request, in their order.', BATCH_ANSWER),
        failures(413),
        {
          400: { description: 'Nothing was written.', content: json(z.union([BATCH_ERROR, API_ERROR])) },
        },
      ),
    },
  },
  '/api/realtime': {
    get: {
      operationId: 'listen',
      tags: [SERVER],
      summary: 'Listen for changes of records',
      description:
        "PocketBase's event stream. The first event, `PB_CONNECT`, has the `clientId`; then come `{action, record}` for each topic subscribed to.",
      security: NOBODY,
      responses: answers(
        { 200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } } },
        failures(400),
      ),
    },
    post: {
      operationId: 'subscribe',
      tags: [SERVER],
      summary: 'Say what to listen for',
      description: 'What is told is what the collections let the one who subscribes see.',
      security: ANYONE,
      requestBody: {
        required: true,
        content: json(SUBSCRIPTION, { clientId: 'a1b2c3', subscriptions: ['sms_messages/*'] }),
      },
      responses: answers(done('Subscribed.'), failures(400, 404, 413, 429)),
    },
  },
  '/api/ready': {
    get: {
      operationId: 'ready',
      tags: [SERVER],
      summary: 'Ask whether to send requests here',
      description: 'For proxies: 503 when requests should go elsewhere. It is never rate limited.',
      security: NOBODY,
      responses: answers(success('Yes.', READY), {
        500: failures()['500']!,
        503: { description: 'No.', content: json(READY) },
      }),
    },
  },
  '/api/warnings': {
    get: {
      operationId: 'warnings',
      tags: [SERVER],
      summary: 'Ask what is wrong with the setup',
      description: 'For superusers. Empty when there is nothing to warn of.',
      security: SIGNED_IN,
      responses: answers(success('All warnings.', WARNINGS), failures(401)),
    },
  },
  '/api/jobs': {
    get: {
      operationId: 'jobFigures',
      tags: [SERVER],
      summary: 'Count background jobs',
      description: 'For superusers. Kinds without jobs are missing.',
      security: SIGNED_IN,
      responses: answers(success('Figures of each kind.', JOBS), failures(401)),
    },
  },
  '/api/health': {
    get: {
      operationId: 'health',
      tags: [SERVER],
      summary: 'Ask whether the server answers',
      security: ANYONE,
      requestParams: { query: ONE.query.pick({ fields: true }) },
      responses: answers(
        success('It does.', HEALTH, { message: 'API is healthy.', code: 200, data: {} }),
        failures(),
      ),
    },
  },
})
