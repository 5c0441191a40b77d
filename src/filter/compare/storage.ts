import { type Sql, sql } from '../sql/sql.ts'
import type { Storage } from './operand.ts'

/** Stored values as number and text. Computed texts name their collation, or the locale would sort. */
interface Form {
  readonly number?: (value: Sql) => Sql
  /** SQLite's `CAST(… AS TEXT)`. */
  readonly text: (value: Sql) => Sql
}

/** JSON can be both: null, a number or a text. */
export const FORMS: Readonly<Record<Storage, Form>> = {
  text: { text: (value) => value },
  number: { number: (value) => value, text: (value) => sql`pb_number_text(${value}) COLLATE "C"` },
  integer: { number: (value) => value, text: (value) => sql`(${value})::text COLLATE "C"` },
  real: { number: (value) => value, text: (value) => sql`pb_real_text(${value}) COLLATE "C"` },
  bool: { number: (value) => sql`${value}::int`, text: (value) => sql`${value}::int::text COLLATE "C"` },
  list: { text: (value) => sql`array_to_json(${value})::text COLLATE "C"` },
  geo: { text: (value) => sql`${value}::text COLLATE "C"` },
  json: { text: (value) => sql`pb_json_text(${value}) COLLATE "C"` },
}
