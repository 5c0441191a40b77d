import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { RequestInfo } from '../../request/request.ts'
import { invalidatesLinks } from '../auth/auth-links.ts'
import type { Extensions } from '../extension.ts'
import { deleteRecord } from './delete.ts'
import { judge } from './judge.ts'
import { prepareCreate, prepareUpdate, type Write, type WriteOptions } from './prepare-write.ts'
import { renderWrite } from './render.ts'
import { storeRecord } from './store.ts'

/**
 * Creates a record in a base or auth collection and returns its JSON. One round trip: rule and relations are
 * conditions of the insert; only a refused record needs another query. Throws 403, or 400 with field errors.
 * PocketBase: apis/record_crud.go, recordCreate; contract 4
 */
export const createRecord = (
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> => write(prepareCreate(store, extensions, collection, request, options))

/**
 * Updates a record and returns its JSON. Two round trips, and one more if a rule needs a modifier resolved.
 * Throws 403, 404, 400 with field errors, StaleAuth, or Conflict if another write came in between (impossible
 * with `locksRecord`). PocketBase: apis/record_crud.go, recordUpdate; contract 4
 */
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

/** Creates, updates or deletes a record by its request's method. Returns its JSON, `null` after a delete. */
export async function writeRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions,
): Promise<string> {
  if (request.method === 'POST') return createRecord(store, extensions, collection, request, options)
  if (request.method === 'PATCH') return updateRecord(store, extensions, collection, id, request, options)
  await deleteRecord(store, extensions, collection, id, request, options)
  return 'null'
}

/** The stages after `prepare`. What takes several statements is stored and rendered in one transaction. */
async function write(prepared: Promise<Write>): Promise<string> {
  const judged = await judge(await prepared)
  const finish = async (inside: Write) => renderWrite(inside, await storeRecord(inside))
  if (isOneStatement(judged)) return finish(judged)
  const { catalog, db } = judged.store
  return db.transaction((tx) => finish({ ...judged, store: { db: tx, catalog } }))
}

/** Whether a write needs no transaction: it stores one row, and its answer cannot fail. */
function isOneStatement({ collection, extension, options, request, uploads, values, stored }: Write) {
  const isHooked = stored ? extension?.beforeUpdate : extension?.beforeCreate
  if (isHooked || options.inSameTransaction || request.query.expand || uploads.size > 0) return false
  return !stored || collection.type !== 'auth' || !invalidatesLinks(values, stored.old)
}
