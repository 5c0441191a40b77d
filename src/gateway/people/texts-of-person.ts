import { type RawBuilder, sql } from 'kysely'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { REASONS } from '../base/message-status.ts'
import { type Person, writePersonCondition } from '../base/personal-data.ts'
import { failMessages, failUnsent } from '../messages/queue/fail-messages.ts'

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
export const selectPersonTexts = (db: Db, person: Person, after: number, limit: number) =>
  queries(db)
    .selectFrom(selectTextsPage(person, sql`_rowid > ${after}`, 'asc', limit).as('page'))
    .select(['id', sql<number>`at::float8`.as('at')])
    .orderBy('at')
    .limit(sql.lit(limit))
    .execute()

/** SQL: the ids of the newest texts to and from a person, at most `limit` each way and form, as an array. */
export const selectNewestTextIds = (person: Person, limit: number): RawBuilder<string[]> =>
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

/** Texts that one transaction erases, sent and received each. */
const PORTION = 200

/**
 * Locks some texts to and from a person, and returns their ids. Each way has an index of its own. With one
 * condition for both, each portion would read the texts that are erased already.
 */
export async function lockTexts(db: Db, { user, number }: Person): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('sms_messages as m')
    .select('m.id')
    .where(
      'm.id',
      '=',
      sql<string>`any(array(
        (select id from sms_messages where "user" = ${user} and "to" = ${number} and message_type = 'outgoing'
          order by _rowid limit ${sql.lit(PORTION)})
        union all
        (select id from sms_messages where "user" = ${user} and "from" = ${number} and "from" <> ''
          and message_type = 'incoming' limit ${sql.lit(PORTION)})))`,
    )
    .orderBy('m.id')
    .forUpdate()
    .execute()
  return found.map(({ id }) => id)
}

/**
 * Ends all open texts to a person. Asks devices not to send those that they have fetched, but may have
 * begun to. Texts that wait in a server for a carrier cost nothing.
 */
export async function endOpenTexts(db: Db, person: Person): Promise<void> {
  await failUnsent(db, selectOpenTexts(db, person, false), REASONS.canceled)
  const claimed = sql<string[]>`array(${selectOpenTexts(db, person, true)})`
  await callFunction(db, 'sms_recall', claimed, REASONS.canceled, '')
  await failMessages(db, selectOpenTexts(db, person, true), REASONS.canceled)
}

/** Locks the queue rows of open texts to a person. `isClaimed`: of those that a device holds. */
const selectOpenTexts = (db: Db, person: Person, isClaimed: boolean) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select('d.message')
    .where(writePersonCondition(person))
    .where('d.state', isClaimed ? '=' : '<>', sql.lit('sending'))
    .orderBy('d.message')
    .forUpdate('d')
