import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import type { Person } from './person.ts'
import type { Place, Texts } from './place.ts'

/** Rows that are in memory at a time. */
const PAGE = 500

/** Rows of a place, as JSON objects of the columns that an export shows. */
export interface RowsOfPlace {
  readonly rows: readonly string[]
  /** The key of the last row; undefined without further rows. */
  readonly next: string | undefined
}

/**
 * Reads the next rows of a person in a place, in the order of its key. `texts`: of these texts only.
 * `nulls first`, although no key is null: the indexes that lists use have this order.
 */
export async function readPlace(
  db: Db,
  { table, shown, key, rows }: Place,
  person: Person,
  texts: Texts,
  after: string | undefined,
): Promise<RowsOfPlace> {
  const columns = sql.join(shown.map((column) => sql.ref(`t.${column}`)))
  const page = await queries(db)
    .selectFrom(
      sql<{ key: string; row: string }>`(
        select ${sql.ref(`t.${key}`)} as at, ${sql.ref(`t.${key}`)}::text as key, row_to_json(s)::text as row
        from ${sql.table(table)} t cross join lateral (select ${columns}) s
        where ${rows(person, texts)}
          and ${after === undefined ? sql`true` : sql`${sql.ref(`t.${key}`)} > ${after}`}
        order by 1 nulls first limit ${sql.lit(PAGE)})`.as('page'),
    )
    .select(['key', 'row'])
    .execute()
  return { rows: page.map(({ row }) => row), next: page.length < PAGE ? undefined : page.at(-1)!.key }
}
