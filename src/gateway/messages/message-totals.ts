import { sql } from 'kysely'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { callFunction, evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'

/** SQL: the number of messages of `user` (SQL), or of all users, in the statement's snapshot. */
export const writeTotalSql = (table: string, user?: string): string => `coalesce((
  SELECT sum(c.messages)::bigint
    + coalesce((SELECT sum(t.messages)::bigint FROM sms_turns t${user ? ` WHERE t."user" = ${user}` : ''}), 0)
  FROM sms_totals c
  WHERE c.relation = '${table}'::regclass${user ? ` AND c."user" IN ('', ${user})` : ''} HAVING bool_or(c."user" = '')),
  sms_counted(${user ?? 'NULL'}))`

/** Whether messages must be counted: the table has its triggers, but no totals. */
const mustCount = (db: Db): Promise<boolean> =>
  // without triggers, which a recreated table gets at the next start, nothing would keep the totals
  evaluateSql(
    db,
    sql<boolean>`exists (select from pg_trigger
      where tgrelid = to_regclass('sms_messages') and tgname = 'sms_messages_came'
        and not exists (select from sms_totals where relation = tgrelid and "user" = ''))`,
  )

/** Counts each user's messages after an upgrade. Meanwhile sends wait: 1 s for a few million messages. */
export async function countMessages(db: Db): Promise<void> {
  if (!(await mustCount(db))) return
  await db.transaction(async (inside) => {
    await inside.limitStatements(0)
    await acquireLock(inside, LOCKS.totals)
    if (await mustCount(inside)) await callFunction(inside, 'sms_count_all')
  })
}

/** Deletes deleted users' totals if they are 0. First counts messages again if necessary. */
export async function keepTotals(db: Db): Promise<void> {
  await countMessages(db)
  await db.transaction(async (inside) => {
    await inside.script('lock table sms_totals in exclusive mode')
    await queries(inside)
      .deleteFrom('sms_totals as t')
      .using(({ selectFrom }) =>
        selectFrom('sms_totals as s')
          .select(['s.relation', 's.user'])
          .where('s.user', '<>', '')
          .groupBy(['s.relation', 's.user'])
          .having(sql<boolean>`sum(s.messages) = 0`)
          .having(sql<boolean>`not exists (select from sms_turns u where u."user" = s."user")`)
          .as('n'),
      )
      .whereRef('t.relation', '=', 'n.relation')
      .whereRef('t.user', '=', 'n.user')
      .execute()
  })
}
