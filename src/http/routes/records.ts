import type { Store } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { findMaxBodyBytes } from '../../engine/fields/field-types.ts'
import { writeRecord } from '../../engine/records/create-or-update.ts'
import { exportRecords, PAGE_BYTES } from '../../engine/records/export-csv.ts'
import { PasswordMemory } from '../../engine/records/hash-passwords.ts'
import { listRecords, viewRecord } from '../../engine/records/list-and-view.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { memoize } from '../../platform/tools/lru.ts'
import { allowByRules } from '../allow-callers.ts'
import {
  authenticateUncached,
  buildRequest,
  makeAnswerMeter,
  runAsCaller,
} from '../authenticate.ts'
import { readRequestBody } from '../body/read-body.ts'
import { makeRoutes, makeUndescribedRow } from '../make-routes.ts'
import { auditWrite } from '../middleware/audit-requests.ts'
import { limitOldPasswordChecks, makePasswordWork } from '../middleware/limit-password-work.ts'
import type { Ctx, Services } from '../request-context.ts'
import { requireCollection, requireWritableCollection } from '../require-collection.ts'
import type { Attempt } from '../retry-request.ts'
import { MAX_BODY_BYTES } from '../route-limits.ts'
import { sendJson } from '../send-answer.ts'
import { findRequestMemory, openStoreForCaller } from '../server/client-address.ts'
import { streamPieces } from './send-file.ts'

/**
 * Records, and their export as CSV. Each route parses the request, plans for the caller of this attempt, runs
 * the statements and responds. PocketBase: apis/record_crud.go
 */
export const RECORD_ROUTES = makeRoutes('', {
  'GET /api/collections/:collection/records': makeUndescribedRow(
    allowByRules('viewer'),
    ({ services }, c, collection) => answerRead(c, services, collection, listRecords),
  ),
  'GET /api/collections/:collection/records/:id': makeUndescribedRow(
    allowByRules('viewer'),
    ({ services }, c, collection) => answerRead(c, services, collection, viewRecord),
    sendJson,
  ),
  'GET /api/collections/:collection/export': makeUndescribedRow(
    allowByRules('viewer'),
    ({ services }, c) => sendExport(c, services),
  ),
  'POST /api/collections/:collection/records': {
    maxBytes: findMaxRecordBytes,
    ...makeUndescribedRow(allowByRules('agent'), ({ services }, c) =>
      answerWrite(c, services, 'POST'),
    ),
  },
  'PATCH /api/collections/:collection/records/:id': {
    maxBytes: findMaxRecordBytes,
    ...makeUndescribedRow(allowByRules('agent'), ({ services }, c) =>
      answerWrite(c, services, 'PATCH'),
    ),
  },
  'DELETE /api/collections/:collection/records/:id': makeUndescribedRow(
    allowByRules('agent'),
    ({ services }, c) => answerWrite(c, services, 'DELETE'),
  ),
})

/** Reads for the cached caller. Repeats with the caller from the database if the caller has changed. */
function answerRead(
  c: Ctx,
  services: Services,
  collection: string,
  run: typeof viewRecord,
): Promise<string> {
  // parse: `runAsCaller` reads the body, too. As in PocketBase, a GET with a broken body gets 400
  const id = c.req.param('id') ?? ''
  requireCollection(services.store.catalog, collection) // throws 404 before the body is read
  const work = async (request: RequestInfo) => {
    // plan: a replica if it has all earlier commits; the collections always come from the primary
    const { db, catalog } = openStoreForCaller(c, services, request.auth)
    const store = { db: db.replica ? await db.forReading() : db, catalog }
    // run
    return run(store, services.extensions, requireCollection(catalog, collection), request, id)
  }
  return runAsCaller(c, services, work, { isRead: true })
}

async function sendExport(c: Ctx, services: Services): Promise<Response> {
  // parse
  const name = c.req.param('collection') ?? ''
  requireCollection(services.store.catalog, name)
  const { values } = await readRequestBody(c)
  // plan: each page is read for the caller of its time
  const auth = await authenticateUncached(c, services)
  const store = openStoreForCaller(c, services, auth)
  const collection = requireCollection(store.catalog, name)
  const request = async () => {
    const caller = await authenticateUncached(c, services)
    return buildRequest(c, caller, values, 'default', makeAnswerMeter(c, caller))
  }
  c.set('asker', auth)
  findRequestMemory(c).hold(PAGE_BYTES)
  // run: get the first piece before the answer begins; until then, an error can still set the status
  const pieces = exportRecords(store, services.extensions, collection, request)
  const first = await pieces.next()
  async function* encoded() {
    yield Buffer.from(first.value ?? '')
    for await (const piece of pieces) yield Buffer.from(piece)
  }
  // respond
  return c.body(streamPieces(encoded()), 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${collection.name.replace(/\W/g, '_')}.csv"`,
    'cache-control': 'no-store',
  })
}

/** Writes a record. Reads the body once; each attempt looks up the caller and the collection again. */
async function answerWrite(
  c: Ctx,
  services: Services,
  method: 'POST' | 'PATCH' | 'DELETE',
): Promise<Response> {
  const { store, extensions, config } = services
  const isDelete = method === 'DELETE'
  // parse: check the collection before the body is read
  const missing = isDelete ? undefined : 'Missing or invalid collection context'
  const find = ({ catalog }: Pick<Store, 'catalog'>) =>
    requireWritableCollection(catalog, c.req.param('collection')!, missing)
  const known = find(store)
  const { values, files: uploads } = await readRequestBody(c)
  // plan: the answer may contain a secret that is shown once
  if (!isDelete && extensions.get(known.id)?.beforeCreate) c.header('cache-control', 'no-store')
  let memory: PasswordMemory | undefined
  const plan = (request: RequestInfo, attempt: Attempt): Parameters<typeof writeRecord> => {
    const inside = openStoreForCaller(c, services, request.auth)
    const collection = find(inside)
    const passwords = () => {
      memory ??= new PasswordMemory()
      return memory.over(makePasswordWork(c, services, request.auth), attempt.locksRecord)
    }
    const options = {
      ...attempt,
      uploads,
      maxFileBytes: config.maxAccountFileBytes,
      passwordWork: passwords,
      inSameTransaction: auditWrite(c, services, request, collection, uploads.keys()),
    }
    return [inside, extensions, collection, c.req.param('id') ?? '', request, options]
  }
  // run: one statement or a transaction, repeated if the caller or the record changed meanwhile
  const run = () =>
    runAsCaller(c, services, (request, attempt) => writeRecord(...plan(request, attempt)), {
      values,
    })
  const mayTestPassword = method === 'PATCH' && known.type === 'auth'
  const json = await (mayTestPassword ? limitOldPasswordChecks(c, services, [values], run) : run())
  // respond
  return isDelete ? c.body(null, 204) : sendJson(c, json)
}

function findMaxRecordBytes(c: Ctx, { store }: Services): number {
  return bodyLimit(requireCollection(store.catalog, c.req.param('collection') ?? ''))
}

/** Maximum bytes of a body that writes a record: the general limit plus that of each field. Contract 8.2 */
const bodyLimit = memoize(({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + findMaxBodyBytes(field), MAX_BODY_BYTES),
)
