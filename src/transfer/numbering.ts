import type { Db } from '../db/open.ts'
import type { Table } from './tables.ts'

/** State of a column's sequence. `last`: its last number if `called`, else the number that it gives next. */
interface Numbering {
  readonly column: string
  readonly last: string
  readonly called: boolean
}

export async function readNumbering(db: Db, { columns }: Table): Promise<Numbering[]> {
  const found: Numbering[] = []
  for (const { name, sequence } of columns) {
    if (sequence === null) continue
    const { rows } = await db.query(`select last_value::text, is_called from ${sequence}`)
    const [last, called] = rows[0]!
    found.push({ column: name, last: String(last), called: called === true })
  }
  return found
}

/** Sets the sequences, so that the next row gets the same number as in the original database. */
export async function setNumbering(db: Db, table: Table, numbering: readonly Numbering[]): Promise<void> {
  for (const { column, last, called } of numbering) {
    const sequence = table.columns.find(({ name }) => name === column)?.sequence
    if (sequence) await db.query('select setval($1::text::regclass, $2, $3)', [sequence, last, called])
  }
}
