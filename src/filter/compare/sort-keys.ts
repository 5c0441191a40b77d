import type { Sql } from '../sql/sql.ts'
import { sql } from '../sql/sql.ts'
import type { Storage } from './operand.ts'
import { FORMS } from './storage.ts'

const plain = (value: Sql) => [value]

/** Sort keys other than the text. JSON: null, numbers, texts, each in their own order. */
const KEYS: Partial<Readonly<Record<Storage, (value: Sql) => Sql[]>>> = {
  text: plain,
  number: plain,
  integer: plain,
  real: plain,
  bool: plain,
  json: (value) => [
    sql`pb_json_rank(${value})`,
    sql`pb_json_number(${value})`,
    sql`pb_json_string(${value}) COLLATE "C"`,
  ],
}

/** Keys that give a value SQLite's order. */
export const sortKeys = (storage: Storage, value: Sql): Sql[] =>
  KEYS[storage]?.(value) ?? [FORMS[storage].text(value)]
