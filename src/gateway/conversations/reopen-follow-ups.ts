import { sql } from 'kysely'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW } from '../../platform/db/queries.ts'

const MAX_DUE = 1_000

/** Unarchives conversations whose reminder is due, marks them unread and unanswered, and queues pushes. */
export async function reopenDueFollowUps(db: Db): Promise<void> {
  while ((await reopenDueBatch(db)) === MAX_DUE);
}

/** Brings back at most MAX_DUE conversations. `skip locked`: nodes do not wait for each other. */
async function reopenDueBatch(db: Db): Promise<number> {
  const changed = await executeStatement(
    db,
    sql<{ conversations: number }>`with due as (
      select id from conversations where follow_up_at <> '' and follow_up_at <= ${NOW}
      order by follow_up_at limit ${sql.lit(MAX_DUE)} for update skip locked
    ), written as (
      update conversations c set follow_up_at = '', unanswered = true, archived = false, updated = ${NOW},
        unread = greatest(c.unread, 1)
      from due where c.id = due.id returning c.id, c."user"
    ), noted as ${logQuery('update', 'conversations', 'ids')}
    select count(*) as conversations, push_queue(w."user", array_agg(w.id)) from written w
    group by w."user" order by w."user"`,
  )
  return changed.reduce((sum, { conversations }) => sum + conversations, 0)
}
