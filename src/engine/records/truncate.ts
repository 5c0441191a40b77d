import { sql } from 'kysely'
import { ApiError, badRequest } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { toTableName } from '../collections/sql-names.ts'
import { deleteRecords, RequiredByRelation } from './cascade.ts'
import type { Extensions } from './collection-extension.ts'

/** Number of records deleted at a time, to limit the memory of a transaction. */
const CHUNK = 1_000

const isDeleteRefused = (error: unknown) =>
  error instanceof RequiredByRelation || (error instanceof ApiError && error.status === 400)

/** Deletes all records of a collection and, by cascade, referring ones. Throws 400 if others need them. */
export async function truncateCollection(
  store: Store,
  extensions: Extensions,
  collection: Collection,
) {
  if (collection.type === 'view')
    throw badRequest(
      "View collections cannot be truncated since they don't store their own records.",
    )
  const next = sql<{ id: string }>`
    select id from ${sql.id(toTableName(collection))} order by _rowid limit ${CHUNK}`
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    for (;;) {
      const { rows } = await next.execute(db)
      if (rows.length === 0) return
      const ids = rows.map(({ id }) => id)
      await deleteRecords(inside, extensions, collection, ids).catch((error: unknown) => {
        throw isDeleteRefused(error) ? badRequest(TRUNCATE_FAILED) : error
      })
    }
  })
}

const TRUNCATE_FAILED =
  'Failed to truncate collection (most likely due to required cascade delete record references).'
