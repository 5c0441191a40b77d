import type { Collection, Store } from '../collections/catalog.ts'
import { writeSorted } from '../fields/json-text.ts'
import type { RequestInfo } from '../request/request.ts'
import { deleteRecord } from './delete.ts'
import type { Extensions } from './extension.ts'
import { judge } from './judge-write.ts'
import { answerRecord } from './list.ts'
import { prepareCreate, prepareUpdate } from './prepare-write.ts'
import { toRow } from './record-sql.ts'
import { invalidatesLinks } from './sign-in-data.ts'
import { type Extra, storeRecord } from './store.ts'
import type { Write, WriteOptions } from './write-in-progress.ts'

/** Creates a record and returns its JSON. Throws 403, StaleAuth, or 400 with field errors. Contract 4 */
export const createRecord = (
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> => write(prepareCreate(store, extensions, collection, request, options))

/** Updates a record and returns its JSON. Throws like `createRecord`; also 404 and Conflict. Contract 4 */
export function updateRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> {
  const update = (inside: Store) => write(prepareUpdate(inside, extensions, collection, id, request, options))
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
  if (request.method === 'POST') return write(prepareCreate(store, extensions, collection, request, options))
  if (request.method === 'PATCH') return updateRecord(store, extensions, collection, id, request, options)
  await deleteRecord(store, extensions, collection, id, request, options)
  return 'null'
}

/** Checks, stores and renders a prepared write, in a transaction if it needs several statements. */
async function write(prepared: Promise<Write>): Promise<string> {
  const judged = await judge(await prepared)
  const finish = async (inside: Write) => renderWrite(inside, await storeRecord(inside))
  if (isOneStatement(judged)) return finish(judged)
  const { catalog, db } = judged.store
  return db.transaction((tx) => finish({ ...judged, store: { db: tx, catalog } }))
}

/** Whether a write needs no transaction: it stores one row by one statement and expands no records. */
function isOneStatement({ collection, extension, options, request, uploads, values, stored }: Write) {
  const isHooked = stored ? extension?.beforeUpdate : extension?.beforeCreate
  if (isHooked || options.inSameTransaction || request.query.expand || uploads.size > 0) return false
  return !stored || collection.type !== 'auth' || !invalidatesLinks(values, stored.old)
}

/** The write is committed but rendering its answer failed (`cause`): the write must not be repeated. */
export class StoredWithoutAnswer extends Error {
  override name = 'StoredWithoutAnswer'
}

/** JSON of a written record. After a commit there is no size limit, and errors are StoredWithoutAnswer. */
async function renderWrite(write: Write, extra: Extra): Promise<string> {
  const { store, collection, values, request } = write
  const row = toRow(collection, values)
  if (store.db.inTransaction) {
    // an SQL error in a rule leaves out an expanded relation; without the savepoint it would undo the write
    const mayFail = Boolean(request.query.expand) || (collection.type === 'auth' && collection.manageRule)
    if (mayFail) await store.db.query('savepoint rendered')
    const text = await answerRecord(store, collection, row, request)
    if (mayFail) await store.db.query('rollback to savepoint rendered')
    return Object.keys(extra).length === 0 ? text : writeSorted({ ...JSON.parse(text), ...extra })
  }
  try {
    return await answerRecord(store, collection, row, { ...request, meter: undefined })
  } catch (error) {
    throw new StoredWithoutAnswer('The answer of a stored record failed', { cause: error })
  }
}
