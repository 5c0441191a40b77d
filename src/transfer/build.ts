import { type Collection, quote, readRows as readCollections, tableName } from '../collections/catalog.ts'
import { readStored } from '../collections/definition/complete.ts'
import { createTable } from '../collections/table.ts'
import { checkViewAccess } from '../collections/views/view-access.ts'
import { ViewQueryError } from '../collections/views/view-fields.ts'
import type { Db } from '../db/open.ts'
import { UserError } from '../errors.ts'
import { randomText } from '../tools/random.ts'

/** Reads views in the order of creation, as a view reads only tables and views created before it. */
const VIEWS = `
select relname, pg_get_viewdef(oid) from pg_class
where relkind = 'v' and relnamespace = current_schema()::regnamespace order by oid`

/** The collections, and the queries of their views, in the order in which views can be created. */
export async function readPlan(db: Db) {
  const collections = (await readCollections(db)).map(({ data }) => readStored(data))
  const ours = new Set(collections.filter(({ type }) => type === 'view').map(tableName))
  const { rows } = await db.query(VIEWS)
  const views = rows.map(([name, query]) => ({ name: String(name), query: String(query) }))
  return { collections, views: views.filter(({ name }) => ours.has(name)) }
}

type Plan = Awaited<ReturnType<typeof readPlan>>

/** Creates tables, indexes and views without rows. Throws a UserError for a forbidden view. */
export async function buildTables(db: Db, { collections, views }: Plan): Promise<void> {
  for (const collection of collections) if (collection.type !== 'view') await createTable(db, collection)
  for (const { name, query } of views) {
    // A prepared statement is a single one, so a second one in the query is refused.
    await db.query(`create view ${quote(name)} as ${query}`, [], `view ${randomText(20)}`)
    await demandAccess(db, name, collections)
  }
}

async function demandAccess(db: Db, view: string, collections: readonly Collection[]): Promise<void> {
  try {
    await checkViewAccess(db, view, collections)
  } catch (error) {
    if (!(error instanceof ViewQueryError)) throw error
    throw new UserError(`The view ${view} cannot be made: ${error.message}.`)
  }
}

const TRIGGERED = `
select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`

const REFERENCES = `
select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
where k.contype = 'f' and not k.condeferrable and c.relnamespace = current_schema()::regnamespace`

/** Runs `work`, which fills tables, without triggers and with deferred references. In a transaction. */
export async function withoutTriggers(db: Db, work: () => Promise<void>): Promise<void> {
  const triggered = (await db.query(TRIGGERED)).rows.map(([table]) => quote(String(table)))
  const references = (await db.query(REFERENCES)).rows.map((row) => row.map((name) => quote(String(name))))
  for (const table of triggered) await db.query(`alter table ${table} disable trigger user`)
  for (const [table, name] of references)
    await db.query(`alter table ${table} alter constraint ${name} deferrable`)
  await db.query('set constraints all deferred')
  await work()
  await db.query('set constraints all immediate')
  for (const [table, name] of references)
    await db.query(`alter table ${table} alter constraint ${name} not deferrable`)
  for (const table of triggered) await db.query(`alter table ${table} enable trigger user`)
}
