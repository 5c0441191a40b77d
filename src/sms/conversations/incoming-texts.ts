import type { Db } from '../../db/open.ts'
import { textsOf } from '../../db/statement.ts'

/** Jobs that push to browsers. The payload: ids of conversations, `conversation@sender` for a mention. */
export const PUSH = 'push'
const MAX_CONVERSATIONS = 100

/** SQL that queues pushes. `news`: a query with the columns "user" and `id`, an entry of the payload. */
export const queuePushes = (news: string) => `
  insert into _jobs (kind, holder, key, payload, due_at)
  select '${PUSH}', n."user", n."user", to_json((array_agg(n.id))[:${MAX_CONVERSATIONS}]),
    greatest(now(), (select next_at from push_hours h where h."user" = n."user"))
  from (${news}) n
  where exists (select from push_subscriptions p where p."user" = n."user")
  group by n."user" order by n."user"
  on conflict (kind, key) do update set attempts = 0, dead_at = null, payload = (
    select json_agg(id) from (
      select json_array_elements_text(_jobs.payload) union select json_array_elements_text(excluded.payload)
      limit ${MAX_CONVERSATIONS}
    ) c(id))`

/**
 * CTEs that enter texts into their conversations, and queue notifications for browsers. For receive.ts: $1
 * the user, $2 the device, $4 the texts; `changed` has the new ids. Locks conversations in the order of
 * numbers, as sms_accept does. A blocked one only gets the text, and an opt-out word needs no answer.
 */
export const INCOMING_TEXT_CTES = `heard as (
  insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, line,
    unread, unanswered, archived, created, updated)
  select pb_new_id(), $1, n."from",
    coalesce((select c.name from contacts c where c."user" = $1 and c.phone = n."from"), ''),
    left(n.body, 1600), pb_text(now()), 'incoming', n.id, $2, n.line, n.texts, not n.stops, false, pb_text(now()), pb_text(now())
  from (
    select distinct on (t."from" collate "C") t."from", t.id, t.body, t.stops, changed.line,
      count(*) over (partition by t."from" collate "C") as texts
    from json_to_recordset($4) t(id text, "from" text, body text, at text, stops boolean)
    join changed on changed.id = t.id
    where t."from" <> ''
    order by t."from" collate "C", t.at desc, t.id
  ) n
  on conflict ("user", number) do update set
    last_text = excluded.last_text, last_at = greatest(conversations.last_at, excluded.last_at),
    last_type = 'incoming', last_message = excluded.last_message, device = excluded.device,
    line = case when excluded.line = '' then conversations.line else excluded.line end,
    unread = case when conversations.blocked then 0 else conversations.unread + excluded.unread end,
    unanswered = excluded.unanswered and not conversations.blocked,
    archived = conversations.archived and conversations.blocked, follow_up_at = '', updated = excluded.updated
  returning id, "user", xmax = 0 as is_new, blocked
), heard_changes as (
  insert into _changes (collection, action, record)
  select 'conversations', case when is_new then 'create' else 'update' end, id from heard
  where exists (select from _listeners)
), heard_pushes as (${queuePushes('select "user", id from heard where not blocked')})`

const CLEAR = `
update conversations set last_text = '' where id = any(array(
  select id from conversations where last_message = any($1::text[]) and last_message <> '' and last_text <> ''
  order by "user", number for update
)) returning id`

/** Removes the texts of deleted or redacted messages from their conversations; returns the changed ones. */
export async function clearLastTexts(db: Db, messages: readonly string[]): Promise<string[]> {
  return textsOf(await db.query(CLEAR, [messages], 'clear last texts'))
}
