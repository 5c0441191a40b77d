import type { Collection } from '../../engine/collections/collection.ts'
import { findMaxBodyBytes } from '../../engine/fields/field-types.ts'
import type { Uploads } from '../../engine/files/upload.ts'
import { createRecord, updateRecord } from '../../engine/records/create-or-update.ts'
import { deleteRecord } from '../../engine/records/delete.ts'
import { exportRecords } from '../../engine/records/export-records.ts'
import { PasswordMemory } from '../../engine/records/hash-passwords.ts'
import { listRecords } from '../../engine/records/list.ts'
import { viewRecord } from '../../engine/records/view.ts'
import type { WriteOptions } from '../../engine/records/write-in-progress.ts'
import { memoize } from '../../platform/tools/lru.ts'
import { allowByRules, type HasServices } from '../allow-callers.ts'
import { asRecordCaller, authenticate, type RecordAttempt } from '../attempt.ts'
import { readRequestBody } from '../body/read-body.ts'
import type { Bound } from '../bounds.ts'
import { makeRoutes, makeUndescribedRow } from '../make-routes.ts'
import { auditWrite } from '../middleware/audit-requests.ts'
import { limitOldPasswordChecks, makePasswordWork } from '../middleware/limit-password-work.ts'
import type { Ctx, Services } from '../request-context.ts'
import { requireCollection, requireWritableCollection } from '../require-collection.ts'
import { type CallerServices, MAX_BODY_BYTES, type Routed } from '../route-limits.ts'
import { sendJson } from '../send-answer.ts'
import { readExportFormat, sendExport } from './send-export.ts'

const OF_WRITE: Bound = {
  cost: 'records that the rule reads; with a file, the number of contents of the account',
  by: 'a superuser wrote the rule; 30 s; an index of at most 262,144 contents (`MAX_ACCOUNT_FILE_BYTES`)',
}

/**
 * Records, and their export. Each handler names its steps: the collection, before the body is read;
 * then, for each attempt, the caller's store and collection, the rule, the rows and the answer. PocketBase:
 * apis/record_crud.go
 */
export const RECORD_ROUTES = makeRoutes('', {
  'GET /api/collections/:collection/records': makeUndescribedRow(
    allowByRules('viewer'),
    {
      cost: 'records that the rule and the filter read',
      by: 'turns; a lookup if the page is short, in the order of an index, with a stored total',
    },
    answerList,
  ),
  'GET /api/collections/:collection/records/:id': makeUndescribedRow(
    allowByRules('viewer'),
    { cost: 'constant cost; `expand`', by: 'keys; turns for `expand`, 20,000 records' },
    answerView,
    sendJson,
  ),
  'GET /api/collections/:collection/export': makeUndescribedRow(
    allowByRules('viewer'),
    { cost: 'records, the filter', by: 'turns; pieces of 1 MiB' },
    answerExport,
  ),
  'POST /api/collections/:collection/records': {
    maxBytes: findMaxRecordBytes,
    ...makeUndescribedRow(allowByRules('agent'), OF_WRITE, answerCreate, sendJson),
  },
  'PATCH /api/collections/:collection/records/:id': {
    maxBytes: findMaxRecordBytes,
    ...makeUndescribedRow(allowByRules('agent'), OF_WRITE, answerUpdate, sendJson),
  },
  'DELETE /api/collections/:collection/records/:id': makeUndescribedRow(
    allowByRules('agent'),
    {
      cost: 'records with a relation to it: all texts of a user or of a device',
      by: 'one to three statements for each such field; 30 s',
    },
    answerDelete,
  ),
})

/** A page of records as JSON. Contract 3.1 */
function answerList({ services }: HasServices, c: Ctx, name: string): Promise<string> {
  requireCollection(services.store.catalog, name)
  return asRecordCaller(c, services, 'read', async (attempt) => {
    const store = await attempt.openForReading()
    const collection = requireCollection(store.catalog, name)
    return listRecords(store, services.extensions, collection, attempt.info)
  })
}

function answerView({ services }: HasServices, c: Ctx, name: string): Promise<string> {
  requireCollection(services.store.catalog, name)
  return asRecordCaller(c, services, 'read', async (attempt) => {
    const store = await attempt.openForReading()
    const collection = requireCollection(store.catalog, name)
    return viewRecord(store, services.extensions, collection, attempt.info, c.req.param('id')!)
  })
}

/** The message for a collection that is missing or is a view. */
const NOT_WRITABLE = 'Missing or invalid collection context'

async function answerCreate({ services }: HasServices, c: Ctx, name: string): Promise<string> {
  const known = requireWritableCollection(services.store.catalog, name, NOT_WRITABLE)
  const { files } = await readRequestBody(c)
  forbidStoring(c, services, known)
  const passwords = new PasswordMemory()
  return asRecordCaller(c, services, 'write', async (attempt) => {
    const { store, info } = attempt
    const collection = requireWritableCollection(store.catalog, name, NOT_WRITABLE)
    const options = makeWriteOptions(c, services, attempt, collection, files, passwords)
    return createRecord(store, services.extensions, collection, info, options)
  })
}

async function answerUpdate({ services }: HasServices, c: Ctx, name: string): Promise<string> {
  const known = requireWritableCollection(services.store.catalog, name, NOT_WRITABLE)
  const { values, files } = await readRequestBody(c)
  forbidStoring(c, services, known)
  const passwords = new PasswordMemory()
  const update = () =>
    asRecordCaller(c, services, 'write', async (attempt) => {
      const { store, info } = attempt
      const collection = requireWritableCollection(store.catalog, name, NOT_WRITABLE)
      const options = makeWriteOptions(c, services, attempt, collection, files, passwords)
      return updateRecord(store, services.extensions, collection, c.req.param('id')!, info, options)
    })
  return known.type === 'auth' ? limitOldPasswordChecks(c, services, [values], update) : update()
}

async function answerDelete({ services }: HasServices, c: Ctx, name: string): Promise<undefined> {
  requireWritableCollection(services.store.catalog, name)
  const passwords = new PasswordMemory()
  await asRecordCaller(c, services, 'write', async (attempt) => {
    const { store, info } = attempt
    const collection = requireWritableCollection(store.catalog, name)
    const options = makeWriteOptions(c, services, attempt, collection, new Map(), passwords)
    await deleteRecord(store, services.extensions, collection, c.req.param('id')!, info, options)
  })
}

/** Keeps an answer out of caches if it may have a secret that is shown once. */
function forbidStoring(c: Ctx, { extensions }: Services, { id }: Collection): void {
  if (extensions.get(id)?.beforeCreate) c.header('cache-control', 'no-store')
}

/** Values of a write beside the record. `passwords` lives for all attempts of the request. */
function makeWriteOptions(
  c: Ctx,
  services: Services,
  { info, isAuthCached, locksRecord }: RecordAttempt,
  collection: Collection,
  uploads: Uploads,
  passwords: PasswordMemory,
): WriteOptions {
  return {
    isAuthCached,
    locksRecord,
    uploads,
    maxFileBytes: services.config.maxAccountFileBytes,
    passwordWork: () => passwords.over(makePasswordWork(c, services, info.auth), locksRecord),
    inSameTransaction: auditWrite(c, services, info, collection, uploads.keys()),
  }
}

/** All records that the caller may list, as CSV. Each page is read for the caller of its time. */
async function answerExport({ services }: HasServices, c: Ctx, name: string): Promise<Response> {
  requireCollection(services.store.catalog, name)
  const { values } = await readRequestBody(c)
  const request = c.env.incoming
  const format = readExportFormat(c)
  const readCaller = async () => {
    const caller = await authenticate(c, services)
    return request.describe(caller, values, 'default', request.makeMeter(caller))
  }
  const store = request.openStore((await readCaller()).auth)
  const collection = requireCollection(store.catalog, name)
  const pieces = exportRecords(store, services.extensions, collection, format, readCaller)
  return sendExport(c, collection.name, format, pieces)
}

function findMaxRecordBytes(c: Routed, { store }: CallerServices): number {
  return bodyLimit(requireCollection(store.catalog, c.req.param('collection') ?? ''))
}

/** Maximum bytes of a body that writes a record: the general limit plus that of each field. Contract 8.2 */
const bodyLimit = memoize(({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + findMaxBodyBytes(field), MAX_BODY_BYTES),
)
