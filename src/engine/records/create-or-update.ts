import { badRequest } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { isTooLongToHash } from '../fields/bcrypt.ts'
import type { RequestInfo } from '../request/request.ts'
import { answerRecord } from './answer-records.ts'
import { compileCandidateRule, NO_CONDITION, requireRule } from './check-rules.ts'
import { checkAuthAndHash } from './check-write.ts'
import { type Extension, type Extensions, requireWriteRule } from './collection-extension.ts'
import { deleteRecord } from './delete.ts'
import { needsOldValues, type Prepared, prepareValues } from './prepare.ts'
import { lockRecord, selectRecordRow } from './read-records.ts'
import { toRow, type Values } from './record-row.ts'
import { invalidatesSignIns } from './revoke-sign-ins.ts'
import { type Extra, storeRecord } from './store-record.ts'
import type { Write, WriteOptions } from './write-in-progress.ts'

/** Creates a record and returns its JSON. Throws 403, StaleAuth, or 400 with field errors. Contract 4 */
export const createRecord = (
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> => runWrite(prepareCreate(store, extensions, collection, request, options))

/** Updates a record and returns its JSON. Throws like `createRecord`; also 404 and Conflict. Contract 4 */
export function updateRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> {
  const update = (inside: Store) =>
    runWrite(prepareUpdate(inside, extensions, collection, id, request, options))
  if (!options.locksRecord) return update(store)
  return store.db.transaction((db) => update({ db, catalog: store.catalog }))
}

/** Creates, updates or deletes a record by the request's method. Returns its JSON, `null` after a delete. */
export async function writeRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions,
): Promise<string> {
  if (request.method === 'POST')
    return runWrite(prepareCreate(store, extensions, collection, request, options))
  if (request.method === 'PATCH')
    return updateRecord(store, extensions, collection, id, request, options)
  await deleteRecord(store, extensions, collection, id, request, options)
  return 'null'
}

/** Checks, stores and renders a prepared write, in a transaction if it needs several statements. */
async function runWrite(prepared: Promise<Write>): Promise<string> {
  const hashed = await checkAuthAndHash(await prepared)
  const finish = async (inside: Write) => renderWrittenRecord(inside, await storeRecord(inside))
  if (isOneStatement(hashed)) return finish(hashed)
  const { catalog, db } = hashed.store
  // extensions change the values: a repetition after a deadlock begins with those of the request
  return db.transaction((tx) =>
    finish({ ...hashed, values: { ...hashed.values }, store: { db: tx, catalog } }),
  )
}

/** Whether a write needs no transaction: it stores one row by one statement and expands no records. */
function isOneStatement({
  collection,
  extension,
  options,
  request,
  uploads,
  values,
  stored,
}: Write) {
  const isHooked = stored ? extension?.beforeUpdate : extension?.beforeCreate
  if (isHooked || options.inSameTransaction || request.query.expand || uploads.size > 0)
    return false
  return !stored || collection.type !== 'auth' || !invalidatesSignIns(values, stored.old)
}

/** The write is committed but rendering its answer failed (`cause`): the write must not be repeated. */
export class StoredWithoutAnswer extends Error {
  override name = 'StoredWithoutAnswer'
}

/** JSON of a written record. After a commit there is no size limit, and errors are StoredWithoutAnswer. */
async function renderWrittenRecord(write: Write, extra: Extra): Promise<string> {
  const { store, collection, values, request } = write
  const row = toRow(collection, values)
  if (store.db.inTransaction) {
    // an SQL error in a rule leaves out an expanded relation; without the savepoint it would undo the write
    const mayFail =
      Boolean(request.query.expand) || (collection.type === 'auth' && collection.manageRule)
    if (mayFail) await store.db.query('savepoint rendered')
    const shown = Object.keys(extra).length > 0 ? extra : undefined
    const text = await answerRecord(store, collection, row, request, shown)
    if (mayFail) await store.db.query('rollback to savepoint rendered')
    return text
  }
  try {
    return await answerRecord(store, collection, row, { ...request, meter: undefined })
  } catch (error) {
    throw new StoredWithoutAnswer('The answer of a stored record failed', { cause: error })
  }
}

/** Applies the body and compiles the create rule. Throws 403, or 400 if the rule cannot hold. */
async function prepareCreate(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  asked: RequestInfo,
  options: WriteOptions,
): Promise<Write> {
  const failure = 'Failed to create record.'
  const rule = requireRule(collection, 'createRule', asked.auth)
  const extension = extensions.get(collection.id)
  const prepared = applyBody(collection, extension, asked, options)
  const request = { ...asked, body: prepared.body }
  // as in PocketBase: a password that is too long to hash is refused before `rule`, without naming its field
  const isLost = !asked.auth?.isSuperuser && Object.values(prepared.passwords).some(isTooLongToHash)
  const guard = isLost
    ? undefined
    : compileCandidateRule(store.catalog, collection, rule, prepared.values, request)
  if (!guard) throw badRequest(failure)
  return { ...prepared, store, collection, extension, request, options, guard, failure }
}

/** Reads the record to update, if the rule allows it, and applies the body. Throws 403, 404. */
async function prepareUpdate(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  asked: RequestInfo,
  options: WriteOptions,
): Promise<Write> {
  const extension = extensions.get(collection.id)
  const rule = requireWriteRule(collection, 'updateRule', asked.auth, extension)
  const apply = (old?: Readonly<Values>) => applyBody(collection, extension, asked, options, old)
  const read = (rule: string, request: RequestInfo) =>
    selectRecordRow(store, collection, id, rule, request)
  // the body as API rules see it; a modifier such as `name+` needs the stored values
  const seen = async () =>
    apply(
      needsOldValues(collection, asked.body, options.uploads)
        ? (await read('', asked)).old
        : undefined,
    )
  if (options.locksRecord) await lockRecord(store, collection, id)
  const stored = await read(rule, rule === '' ? asked : { ...asked, body: (await seen()).body })
  const prepared = apply(stored.old)
  return {
    ...prepared,
    store,
    collection,
    extension,
    options,
    stored,
    request: { ...asked, body: prepared.body },
    guard: NO_CONDITION,
    failure: 'Failed to update record.',
  }
}

const applyBody = (
  collection: Collection,
  extension: Extension | undefined,
  { auth, body }: RequestInfo,
  { uploads }: WriteOptions,
  base?: Readonly<Values>,
): Prepared =>
  prepareValues(collection, body, {
    base,
    isSuperuser: auth?.isSuperuser === true,
    uploads,
    isStrict: extension?.readsStrictly,
  })
