import { quote } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'

const TRIGGERED = `
select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`

const REFERENCES = `
select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
where k.contype = 'f' and not k.condeferrable and c.relnamespace = current_schema()::regnamespace`

/** Runs `work`, which fills tables, without triggers and with deferred references. `db`: a transaction. */
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
