import { sql } from 'kysely'
import { isInsertionOrdered } from '../../engine/collections/own-indexes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Person, Place, Texts } from '../base/personal-data.ts'

/** Rows that are in memory at a time, and their bytes: at least one row, of whatever size. */
const PAGE = 500
const PAGE_BYTES = 4 << 20

/** Rows of a place, as JSON objects of the columns that an export shows. */
interface RowsOfPlace {
  readonly rows: readonly string[]
  /** The key of the last row; undefined without further rows. */
  readonly next: string | undefined
}

/**
 * Reads the next rows of a person in a place, in the order of its key. `texts`: of these texts only. The
 * order is spelled like the index that has it.
 */
export async function readPersonalRows(
  db: Db,
  { table, shown, key, rows }: Place,
  person: Person,
  texts: Texts,
  after: string | undefined,
): Promise<RowsOfPlace> {
  const columns = sql.join(shown.map((column) => sql.ref(`t.${column}`)))
  const order = isInsertionOrdered(table) ? sql`nulls first` : sql``
  const page = await executeStatement(
    db,
    sql<{ key: string; row: string; rows: number }>`with found as (
      select ${sql.ref(`t.${key}`)} as at, ${sql.ref(`t.${key}`)}::text as key, row_to_json(s)::text as row
      from ${sql.table(table)} t cross join lateral (select ${columns}) s
      where ${rows(person, texts)}
        and ${after === undefined ? sql`true` : sql`${sql.ref(`t.${key}`)} > ${after}`}
      order by 1 ${order} limit ${sql.lit(PAGE)}
    ), measured as (
      select key, row, octet_length(row) as size, sum(octet_length(row)) over (order by at) as upto,
        count(*) over () as rows
      from found
    )
    select key, row, rows from measured where upto <= ${sql.lit(PAGE_BYTES)} or upto = size order by upto`,
  )
  const isLast = page.length < PAGE && page.length === Number(page[0]?.rows ?? 0)
  return { rows: page.map(({ row }) => row), next: isLast ? undefined : page.at(-1)!.key }
}
