import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type Person, writePersonCondition } from '../base/personal-data.ts'

/**
 * SQL: the next texts to and from a person, by an index for each way. With one condition for both ways,
 * Postgres would read and sort all texts of the person for each page.
 */
const selectTextsPage = (
  { user, number }: Person,
  after: RawBuilder<boolean>,
  order: 'asc' | 'desc',
  limit: number,
) =>
  sql<{ id: string; at: number }>`(
    (select id, _rowid as at from sms_messages where "user" = ${user} and "to" = ${number}
      and message_type = 'outgoing' and ${after} order by _rowid ${sql.raw(order)} limit ${sql.lit(limit)})
    union all
    (select id, _rowid as at from sms_messages where "user" = ${user} and "from" = ${number} and "from" <> ''
      and message_type = 'incoming' and ${after} order by _rowid ${sql.raw(order)} limit ${sql.lit(limit)}))`

/** Up to `limit` texts to and from a person after a `_rowid` (`at`), in the order of `_rowid`. */
export const readTexts = (db: Db, person: Person, after: number, limit: number) =>
  queries(db)
    .selectFrom(selectTextsPage(person, sql`_rowid > ${after}`, 'asc', limit).as('page'))
    .select(['id', sql<number>`at::float8`.as('at')])
    .orderBy('at')
    .limit(sql.lit(limit))
    .execute()

/** SQL: the ids of the newest texts to and from a person, at most `limit` each way and form, as an array. */
export const selectNewestTexts = (person: Person, limit: number): RawBuilder<string[]> =>
  sql`array(${sql.join(
    person.forms.map(
      (number) =>
        sql`select id from ${selectTextsPage({ ...person, number }, sql`true`, 'desc', limit)} page`,
    ),
    sql` union all `,
  )})`

export async function countTexts(db: Db, person: Person): Promise<number> {
  const { texts } = await queries(db)
    .selectFrom('sms_messages as m')
    .select(({ fn }) => fn.countAll<number>().as('texts'))
    .where(writePersonCondition(person))
    .executeTakeFirstOrThrow()
  return texts
}
