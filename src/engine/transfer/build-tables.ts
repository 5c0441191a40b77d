import { sql } from 'kysely'
import { UserError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { loadCollectionRows as readCollections } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { parseStoredCollection } from '../collections/definition/read-collection.ts'
import { quoteName, toTableName } from '../collections/sql-names.ts'
import { createTable } from '../collections/table.ts'
import { checkViewAccess } from '../collections/views/view-access.ts'
import { ViewQueryError } from '../collections/views/view-query-error.ts'

/** Reads views in the order of creation: a view reads only tables and views that were created before it. */
const VIEWS = sql<{ name: string; query: string }>`
select relname as name, pg_get_viewdef(oid) as query from pg_class
where relkind = 'v' and relnamespace = current_schema()::regnamespace order by oid`

/** The collections, and the queries of their views, in the order in which views can be created. */
export async function readPlan(db: Db) {
  const collections = (await readCollections(db)).map(({ data }) => parseStoredCollection(data))
  const ours = new Set(collections.filter(({ type }) => type === 'view').map(toTableName))
  const { rows } = await VIEWS.execute(db)
  return { collections, views: rows.filter(({ name }) => ours.has(name)) }
}

type Plan = Awaited<ReturnType<typeof readPlan>>

/** Creates tables, indexes and views without rows. Throws a UserError for a forbidden view. */
export async function buildTables(db: Db, { collections, views }: Plan): Promise<void> {
  for (const collection of collections)
    if (collection.type !== 'view') await createTable(db, collection)
  for (const { name, query } of views) {
    // runs as a prepared statement, which cannot hold a second statement
    await db.query(`create view ${quoteName(name)} as ${query}`, [], `view ${makeRandomText(20)}`)
    await demandAccess(db, name, collections)
  }
}

async function demandAccess(db: Db, view: string, collections: readonly Collection[]) {
  try {
    await checkViewAccess(db, view, collections)
  } catch (error) {
    if (!(error instanceof ViewQueryError)) throw error
    throw new UserError(`The view ${view} cannot be made: ${error.message}.`)
  }
}
