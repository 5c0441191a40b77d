import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'

const TRIGGERED = sql<{ name: string }>`
select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`

const REFERENCES = sql<{ table: string; name: string }>`
select c.relname as table, k.conname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
where k.contype = 'f' and not k.condeferrable and c.relnamespace = current_schema()::regnamespace`

/** Runs `work`, which fills tables, without triggers and with deferred references. `db`: a transaction. */
export async function withoutTriggers(db: Db, work: () => Promise<void>): Promise<void> {
  const triggered = (await TRIGGERED.execute(db)).rows
  const references = (await REFERENCES.execute(db)).rows
  const set = async (trigger: RawBuilder<unknown>, reference: RawBuilder<unknown>) => {
    for (const { name } of triggered)
      await sql`alter table ${sql.id(name)} ${trigger} trigger user`.execute(db)
    for (const { table, name } of references)
      await sql`alter table ${sql.id(table)} alter constraint ${sql.id(name)} ${reference}`.execute(
        db,
      )
  }
  await set(sql`disable`, sql`deferrable`)
  await db.query('set constraints all deferred')
  await work()
  await db.query('set constraints all immediate')
  await set(sql`enable`, sql`not deferrable`)
}
