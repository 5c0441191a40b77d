import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { TransferTable } from './tables.ts'

/** State of a column's sequence. `last`: its last number if `called`, else the number that it gives next. */
interface Numbering {
  readonly column: string
  readonly last: string
  readonly called: boolean
}

export async function loadSequences(db: Db, { columns }: TransferTable): Promise<Numbering[]> {
  const found: Numbering[] = []
  for (const { name, sequence } of columns) {
    if (sequence === null) continue
    const state = sql<Omit<Numbering, 'column'>>`
      select last_value::text as last, is_called as called from ${sql.raw(sequence)}`
    found.push({ column: name, ...(await state.execute(db)).rows[0]! })
  }
  return found
}

/** Sets the sequences, so that the next row gets the same number as in the original database. */
export async function setSequences(
  db: Db,
  table: TransferTable,
  numbering: readonly Numbering[],
): Promise<void> {
  for (const { column, last, called } of numbering) {
    const sequence = table.columns.find(({ name }) => name === column)?.sequence
    if (sequence)
      await sql`select setval(${sequence}::text::regclass, ${last}, ${called})`.execute(db)
  }
}
