import type { Db } from '../../db/open.ts'

/** SQL: the number of messages of `user`, or of all, in the statement's snapshot. */
export const totalSql = (table: string, user?: string): string => `coalesce((
  SELECT sum(c.messages)::bigint
    + coalesce((SELECT sum(t.messages)::bigint FROM sms_turns t${user ? ` WHERE t."user" = ${user}` : ''}), 0)
  FROM sms_totals c
  WHERE c.relation = '${table}'::regclass${user ? ` AND c."user" IN ('', ${user})` : ''} HAVING bool_or(c."user" = '')),
  sms_counted(${user ?? 'NULL'}))`

/** Whether a count is due. A recreated table has no triggers until the next start and is not counted. */
const IS_TO_DO = `select 1 from pg_trigger
  where tgrelid = to_regclass('sms_messages') and tgname = 'sms_messages_came'
    and not exists (select from sms_totals where relation = tgrelid and "user" = '')`

/** Counts each user's messages after an upgrade. Sends wait for it: a second for a few million messages. */
export async function countMessages(db: Db): Promise<void> {
  const isToDo = async (inside: Db) => (await inside.query(IS_TO_DO)).rows.length > 0
  if (!(await isToDo(db))) return
  await db.transaction(async (inside) => {
    await inside.limitStatements(0)
    await inside.query('select pg_advisory_xact_lock(hashtext($1))', ['sms_totals'])
    if (await isToDo(inside)) await inside.query('select sms_count_all()')
  })
}

const NOTHING_LEFT = `
  select relation, "user" from sms_totals where "user" <> '' group by 1, 2 having sum(messages) = 0
    and not exists (select from sms_turns t where t."user" = sms_totals."user")`

/** Deletes empty totals of deleted users. Recounts first if a recount is due. */
export async function keepTotals(db: Db): Promise<void> {
  await countMessages(db)
  await db.transaction(async (inside) => {
    await inside.script('lock table sms_totals in exclusive mode')
    await inside.query(
      `delete from sms_totals t using (${NOTHING_LEFT}) n where t.relation = n.relation and t."user" = n."user"`,
    )
  })
}
