import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { type Person, textsOfPerson } from './person.ts'
import type { Place } from './place.ts'

/** Rows that are in memory at a time. */
const PAGE = 200
/** Maximum rows of a place in an export. */
const MAX_ROWS = 100_000

/** Reads the rows of a person in a place, as JSON objects of the columns that an export shows. */
export async function* readPlace(db: Db, { table, shown, key, rows }: Place, person: Person) {
  const own = rows(person, textsOfPerson(person))
  const columns = sql.join(shown.map((column) => sql.ref(`t.${column}`)))
  let after: string | undefined
  for (let read = 0; read < MAX_ROWS; ) {
    const page = await queries(db)
      .selectFrom(
        sql<{ key: string; row: string }>`(
          select ${sql.ref(`t.${key}`)} as at, ${sql.ref(`t.${key}`)}::text as key, row_to_json(s)::text as row
          from ${sql.table(table)} t cross join lateral (select ${columns}) s
          where ${own} and ${after === undefined ? sql`true` : sql`${sql.ref(`t.${key}`)} > ${after}`}
          order by 1 limit ${sql.lit(PAGE)})`.as('page'),
      )
      .select(['key', 'row'])
      .execute()
    for (const { row } of page) yield row
    read += page.length
    if (page.length < PAGE) return
    after = page.at(-1)!.key
  }
}
