import { readRows } from '../collections/catalog-draft.ts'
import type { Collection } from '../collections/collection.ts'
import { quote, tableName } from '../collections/names.ts'
import { createTable } from '../collections/table.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/open.ts'

/** A view reads only what was there before it. */
const VIEWS = `
select relname, pg_get_viewdef(oid) from pg_class
where relkind = 'v' and relnamespace = current_schema()::regnamespace order by oid`

/** Makes on an empty database the tables, indexes and views that the source has for its collections, without their rows. */
export async function buildTables(from: Db, to: Db): Promise<void> {
  await migrate(to)
  const rows = await readRows(from)
  const collections = rows.map(({ data }) => JSON.parse(data) as Collection)
  for (const collection of collections) if (collection.type !== 'view') await createTable(to, collection)
  const views = new Set(collections.filter(({ type }) => type === 'view').map(tableName))
  for (const [name, definition] of (await from.query(VIEWS)).rows.map((row) => row.map(String))) {
    if (views.has(name!)) await to.query(`create view ${quote(name!)} as ${definition}`)
  }
}

const TRIGGERED = `
select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`

const REFERENCES = `
select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
where k.contype = 'f' and not k.condeferrable and c.relnamespace = current_schema()::regnamespace`

/**
 * Does `work`, which fills tables in any order, in a transaction: without what usually follows from a new row (all that
 * followed is copied, too), and with references looked at when all is there.
 */
export async function undisturbed(db: Db, work: () => Promise<void>): Promise<void> {
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
