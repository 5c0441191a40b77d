import type { Db } from '../../db/open.ts'
import type { Field } from '../../fields/field.ts'
import { fieldType } from '../../fields/types/field-types.ts'
import { type Collection, columnName, quote, tableName } from '../catalog.ts'
import { addFileTriggers } from './file-triggers.ts'
import { createIndexes } from './indexes.ts'

/** A field's column with type and default, from its field type. Contract 2.11 */
export const columnDdl = (field: Field) =>
  `${quote(columnName(field.name))} ${fieldType(field).column(field)}`

/** Analyzes tables early: Postgres expects one row of a user without statistics, and would sort 100,000. */
const STATISTICS = 'autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02'

/** Creates a collection's table. Postgres names its constraints, so a renamed table's do not conflict. */
export async function createTable(db: Db, collection: Collection): Promise<void> {
  // a repeated name is refused later, when an import validates
  const fields = new Map(collection.fields.map((field) => [field.name, columnDdl(field)]))
  const columns = [...fields.values(), '_rowid bigint generated always as identity unique']
  await db.query(`create table ${quote(tableName(collection))} (${columns.join(', ')}) with (${STATISTICS})`)
  await createIndexes(db, collection)
  await addFileTriggers(db, collection)
}

const COLUMNS = `
select attname from pg_attribute
where attrelid = to_regclass(quote_ident($1)) and attnum > 0 and not attisdropped`

/** The names of a table's columns; none if there is no such table. */
export async function columnsOf(db: Db, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await db.query(COLUMNS, [table])
  return new Set(rows.map(([name]) => String(name)))
}
