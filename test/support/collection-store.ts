import { createCollection, updateCollection } from '../../src/engine/collections/edit.ts'
import { quoteName, toTableName } from '../../src/engine/collections/sql-names.ts'
import { checkRule } from '../../src/engine/records/check-rules.ts'
import { ApiError } from '../../src/platform/api-errors.ts'
import { openCatalogStore, type TestStore } from './database/open.ts'
import { openPreparedDb } from './server/start.ts'

/** A store with the system and built-in collections. */
export const collectionStore = async (): Promise<TestStore> =>
  openCatalogStore(await openPreparedDb())

export const create = (store: TestStore, raw: object) => createCollection(store, raw, checkRule)
export const update = (store: TestStore, name: string, raw: object) =>
  updateCollection(store, name, raw, checkRule)

/** The refusal that a piece of work ends with; undefined if it succeeds. */
export async function refusal(work: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** Rows of a collection's table in order of insertion, only the given columns. */
export async function rowsOf(
  store: TestStore,
  name: string,
  ...columns: string[]
): Promise<unknown[][]> {
  const table = quoteName(toTableName(store.catalog.find(name)!))
  const order = store.catalog.find(name)!.type === 'view' ? 'id' : '_rowid'
  const { rows } = await store.db.query(
    `select ${columns.map(quoteName).join(', ')} from ${table} order by ${order}`,
  )
  return rows
}
