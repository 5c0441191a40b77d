import { z } from 'zod'
import type { Store } from '../engine/collections/catalog.ts'
import { deleteAllLogs } from '../engine/logs/request-log.ts'
import { exportRecords } from '../engine/records/export-records.ts'
import { listRecords } from '../engine/records/list.ts'
import { allowSuperuser } from '../http/allow-callers.ts'
import type { Bound } from '../http/bounds.ts'
import { listLogs, logStats, makePlainList, viewLog } from '../http/list-logs.ts'
import { makeRoutes, makeUndescribedRow } from '../http/make-routes.ts'
import { auditRequest } from '../http/middleware/audit-requests.ts'
import { requireSuperuser } from '../http/middleware/require-caller.ts'
import { SERVER_TAG } from '../http/openapi/describe-operations.ts'
import { BY_ID, FIELDS_ONLY, makeListQuery } from '../http/openapi/record-parameters.ts'
import { makePageSchema } from '../http/openapi/record-schema.ts'
import { describeTextAnswer } from '../http/openapi/success-answers.ts'
import type { Ctx, Services } from '../http/request-context.ts'
import { sendExport } from '../http/routes/send-export.ts'
import { sendJson, sendRaw } from '../http/send-answer.ts'

/** The audit log of superusers' actions. It is no collection, so clients can only list it. */
const AUDIT = makePlainList('_audit', [
  ['id', 'text'],
  ['created', 'date'],
  ...['superuser', 'email', 'ip', 'action', 'collection', 'record'].map(
    (name) => [name, 'text'] as const,
  ),
  ['fields', 'json'],
])

const LOG = z
  .object({
    id: z.string(),
    created: z.string(),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        'Of a request: `status`, `method`, `url`, `auth`, `error`, `execTime` in ms, and so on.',
      ),
    message: z.string(),
    level: z.int().describe('8: it failed; -4: it went well.'),
  })
  .meta({ id: 'Log' })

const HOURS = z
  .array(z.object({ date: z.string(), total: z.int().min(1) }))
  .meta({ id: 'LogStatistics', description: 'By the hour; hours without any are left out.' })

const LIST = makeListQuery().query

const OF_LOG: Bound = { cost: 'rows of the log', by: 'only superusers; turns' }

/** The log of failed requests, and the audit log. PocketBase: apis/logs.go */
export const LOG_ROUTES = makeRoutes(
  SERVER_TAG,
  {
    'GET /api/logs': {
      permission: allowSuperuser,
      bound: OF_LOG,
      describe: {
        id: 'listLogs',
        summary: 'List failed requests',
        description:
          'For superusers. Filters may use `id`, `created`, `level`, `message` and `data.…`.',
        params: { query: LIST.omit({ expand: true }) },
        answer: ['A page of them.', makePageSchema(LOG, 'LogPage')],
        fails: [400, 401],
      },
      send: sendRaw,
      run: ({ auth, store, services }, c) =>
        listLogs(store, services, c.env.incoming.describe(auth, {})),
    },
    'DELETE /api/logs': {
      permission: allowSuperuser,
      bound: { cost: 'rows of the log, deleted in pieces', by: 'only superusers' },
      describe: {
        id: 'deleteLogs',
        summary: 'Delete all of them',
        description: 'For superusers. Later failures are logged again.',
        answer: ['They are deleted.'],
      },
      run: async ({ auth, store, services }, c) => {
        await services.logs.flush()
        await auditRequest(c, auth, { action: 'delete logs' })
        await deleteAllLogs(store.db)
      },
    },
    'GET /api/logs/stats': {
      permission: allowSuperuser,
      bound: OF_LOG,
      describe: {
        id: 'countLogs',
        summary: 'Count failed requests by hour',
        description: 'For superusers.',
        params: { query: LIST.pick({ filter: true, fields: true }) },
        answer: ['The counts.', HOURS],
        fails: [400, 401],
      },
      run: ({ auth, store, services }, c) =>
        logStats(store, services, c.env.incoming.describe(auth, {})),
    },
    'GET /api/logs/:id': {
      permission: allowSuperuser,
      bound: OF_LOG,
      describe: {
        id: 'viewLog',
        summary: 'Read a failed request',
        description: 'For superusers.',
        params: { path: BY_ID.path, ...FIELDS_ONLY },
        answer: ['It.', LOG],
        fails: [401, 404],
      },
      run: ({ store, services }, _, id) => viewLog(store, services, id),
    },
    'GET /api/audit': makeUndescribedRow(
      allowSuperuser,
      OF_LOG,
      ({ auth, store: { db }, services: { extensions } }, c) => {
        const alone = { db, catalog: AUDIT.alone }
        return listRecords(alone, extensions, AUDIT.collection, c.env.incoming.describe(auth, {}))
      },
      sendRaw,
    ),
    'GET /api/audit/export': {
      permission: allowSuperuser,
      bound: { cost: 'rows of the log', by: 'only superusers; turns; pieces of 1 MiB' },
      describe: {
        id: 'exportAudit',
        summary: 'Export the audit log as lines of JSON',
        description: 'For superusers. All entries that `filter` finds, newest first.',
        params: { query: LIST.pick({ filter: true, fields: true }) },
        fails: [400, 401],
        responses: describeTextAnswer('application/x-ndjson', 'A line of JSON for each entry.'),
      },
      run: ({ store, services }, c) => exportAudit(c, store, services),
    },
  },
  sendJson,
)

/** Streams the audit log. The caller is checked again before each page. */
function exportAudit(c: Ctx, { db }: Store, services: Services): Promise<Response> {
  const readCaller = async () => {
    const { auth } = await requireSuperuser(c, services)
    return c.env.incoming.describe(auth, {}, 'default', c.env.incoming.makeMeter(auth))
  }
  const alone = { db, catalog: AUDIT.alone }
  const { extensions } = services
  const pieces = exportRecords(alone, extensions, AUDIT.collection, 'ndjson', readCaller)
  return sendExport(c, 'audit', 'ndjson', pieces)
}
