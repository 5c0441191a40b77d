import { hasRoomSql } from '../../work/queue.ts'

/** The kind of the jobs. Each is for one text, and its key is the text's id. */
export const ANSWER = 'answer'
/** Older texts get no answer: a phone that was offline reports them late. */
const MAX_AGE = `interval '1 hour'`

/** Texts of an account that may wait for an answer. More get none. */
export const MAX_WAITING = 1_000

/** For inbound/receive.ts: adds a job per answerable text. $1: user, $4: texts, `changed`: new ids. */
export const ANSWERABLE_CTE = `answerable as (
  insert into _jobs (kind, holder, key)
  select '${ANSWER}', $1, t.id
  from json_to_recordset($4) t(id text, answerable boolean, at text) join changed c on c.id = t.id
  where t.answerable and t.at > pb_text(now() - ${MAX_AGE})
    and exists (select from auto_answers a where a."user" = $1 and a.enabled)
    and ${hasRoomSql(ANSWER, '$1', MAX_WAITING)}
  on conflict (kind, key) do nothing
)`

/** A number that can be answered; short codes have fewer digits. */
const NUMBER = /^\+[1-9]\d{6,14}$/

/** Whether a machine may answer this sender: never a name, never a short code. */
export const isAnswerable = (sender: string): boolean => NUMBER.test(sender)
