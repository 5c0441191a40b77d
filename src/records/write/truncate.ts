import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { quote, tableName } from '../../collections/names.ts'
import { ApiError, badRequest } from '../../errors.ts'
import type { Extensions } from '../extension.ts'
import { deleteRecords, RequiredByRelation } from './cascade.ts'

/** Records deleted at a time: bounds the memory of a transaction. */
const CHUNK = 1_000

const refused = (error: unknown) =>
  error instanceof RequiredByRelation || (error instanceof ApiError && error.status === 400)

/** Deletes all records and dependents. Throws 400. PocketBase: apis/collection.go, collectionTruncate */
export async function truncateCollection(store: Store, extensions: Extensions, collection: Collection) {
  if (collection.type === 'view')
    throw badRequest("View collections cannot be truncated since they don't store their own records.")
  const table = quote(tableName(collection))
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    for (;;) {
      const { rows } = await db.query(`select id from ${table} order by _rowid limit $1`, [CHUNK])
      if (rows.length === 0) return
      const ids = rows.map(([id]) => String(id))
      await deleteRecords(inside, extensions, collection, ids).catch((error: unknown) => {
        throw refused(error) ? badRequest(FAILED) : error
      })
    }
  })
}

const FAILED = 'Failed to truncate collection (most likely due to required cascade delete record references).'
