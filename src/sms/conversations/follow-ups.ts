import type { Db } from '../../db/open.ts'
import { changeLogCte } from '../../records/record-sql.ts'
import { queuePushes } from './incoming-texts.ts'

const MAX_DUE = 1_000

/** Brings conversations back. `skip locked`: nodes do not wait for each other. */
const BRING_BACK = `
with due as (
  select id from conversations where follow_up_at <> '' and follow_up_at <= pb_text(now())
  order by follow_up_at limit ${MAX_DUE} for update skip locked
), changed as (
  update conversations c set follow_up_at = '', unanswered = true, archived = false, unread = greatest(c.unread, 1),
    updated = pb_text(now())
  from due where c.id = due.id returning c.id, c."user"
), pushes as (${queuePushes('select "user", id from changed')}),
${changeLogCte('changed', 'update', 'conversations')}
select from changed`

/** Makes conversations whose reminder is due unread and unanswered, unarchives them and notifies people. */
export async function bringBackDue(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await db.query(BRING_BACK, [], 'inbox follow-ups')
    if (rows.length < MAX_DUE) return
  }
}
