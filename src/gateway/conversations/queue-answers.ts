import type { Db } from '../../platform/db/open.ts'
import { hasRoomSql } from '../../platform/jobs/job-queue.ts'

/** Kind of the jobs that answer received texts. A job's key is the text's id. */
export const ANSWER = 'answer'
/** A text that is older than this when a phone reports it gets no automatic answer: the phone was offline. */
const MAX_AGE = `interval '1 hour'`

/** Maximum texts of an account that wait for an automatic answer. Further texts get none. */
const MAX_WAITING = 1_000

/** CTE that adds a job for each new text to answer. $1: user, $4: texts. CTE `changed` has the new ids. */
export const ANSWERABLE_CTE = `answerable as (
  insert into _jobs (kind, holder, key)
  select '${ANSWER}', $1, t.id
  from json_to_recordset($4) t(id text, "from" text, answerable boolean, at text) join changed c on c.id = t.id
  where t.answerable and t.at > pb_text(now() - ${MAX_AGE})
    and exists (select from auto_answers a where a."user" = $1 and a.enabled)
    and not exists (select from conversations b where b."user" = $1 and b.number = t."from" and b.blocked)
    and ${hasRoomSql(ANSWER, '$1', MAX_WAITING)}
  on conflict (kind, key) do nothing
)`

/** Adds jobs that answer these texts, unless they are there. A blocked conversation gets no answers. */
export async function queueAnswers(db: Db, user: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db.query(
      `insert into _jobs (kind, holder, key)
      select '${ANSWER}', $1, m.id from sms_messages m
      where m.id = any($2::text[]) and m.delivered_at > pb_text(now() - ${MAX_AGE})
        and not exists (select from conversations b where b."user" = $1 and b.number = m."from" and b.blocked)
        and ${hasRoomSql(ANSWER, '$1', MAX_WAITING)}
      on conflict (kind, key) do nothing`,
      [user, ids],
    )
}
