import type { Db } from '../../platform/db/open.ts'

/** Kind of the jobs that answer received texts. A job's key is the text's id. */
export const ANSWER = 'answer'
/** A text that is older than this when a phone reports it gets no automatic answer: the phone was offline. */
export const MAX_AGE = `interval '1 hour'`

/** Maximum texts of an account that wait for an automatic answer. Further texts get none. */
const MAX_WAITING = 1_000

/** SQL: whether another text of account $1 may wait for an answer. */
export const HAS_ROOM = `not exists (
  select from _jobs j where j.kind = '${ANSWER}' and j.holder = $1 and j.dead_at is null offset ${MAX_WAITING - 1})`

/** Adds jobs that answer these texts, unless they are there. A blocked conversation gets no answers. */
export async function queueAnswers(db: Db, user: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db.query(
      `insert into _jobs (kind, holder, key)
      select '${ANSWER}', $1, m.id from sms_messages m
      where m.id = any($2::text[]) and m.delivered_at > pb_text(now() - ${MAX_AGE})
        and not exists (select from conversations b where b."user" = $1 and b.number = m."from" and b.blocked)
        and ${HAS_ROOM}
      on conflict (kind, key) do nothing`,
      [user, ids],
    )
}
