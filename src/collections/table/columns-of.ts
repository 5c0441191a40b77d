import type { Db } from '../../db/open.ts'

const COLUMNS = `
select attname from pg_attribute
where attrelid = to_regclass(quote_ident($1)) and attnum > 0 and not attisdropped`

/** The names of a table's columns; none if there is no such table. */
export async function columnsOf(db: Db, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await db.query(COLUMNS, [table])
  return new Set(rows.map(([name]) => String(name)))
}
