/** Older texts get no answer: a phone that was offline reports them late. */
const MAX_AGE = `interval '1 hour'`

/**
 * A CTE for the statement of inbound/receive.ts that queues texts for `answerTexts`, if the user has an
 * enabled answer. $1: the user, $4: the texts; the CTE `changed` has the ids of those that are new.
 */
export const ANSWERABLE_CTE = `answerable as (
  insert into auto_answer_queue (message, "user")
  select t.id, $1 from json_to_recordset($4) t(id text, answerable boolean, at text) join changed c on c.id = t.id
  where t.answerable and t.at > pb_text(now() - ${MAX_AGE})
    and exists (select from auto_answers a where a."user" = $1 and a.enabled)
  on conflict (message) do nothing
)`

/** A number that can be answered; short codes have fewer digits. */
const NUMBER = /^\+[1-9]\d{6,14}$/

/** Whether a machine may answer this sender: never a name, never a short code. */
export const isAnswerable = (sender: string): boolean => NUMBER.test(sender)
