import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { JOIN_GROUPS } from '../consent/joinable-groups.ts'
import { ANSWER, HAS_ROOM, MAX_AGE } from './queue-answers.ts'

/**
 * Stores received texts with all that follows from them, in one round trip. $1: account, $2: device, $3: its
 * number, $4: texts as JSON. Returns a row for each new text: id, whether conversations are assigned in turn,
 * JOIN_GROUPS.
 *
 * `heard` locks conversations by phone number, as sms_accept does, against deadlocks. A blocked conversation
 * counts no unread texts. A text that opts out needs no answer. A reaction leaves it as it is whether the
 * person waits for an answer. A push per account is queued once all its conversations are known.
 */
export const INSERT_RECEIVED_TEXTS = `
with changed as (
  insert into sms_messages
    (id, "user", device, line, status, message_type, "from", "to", body, subject, segments, sim, attachments, delivered_at, created,
      updated)
  select t.id, $1, $2, coalesce(l.id, ''), 'received', 'incoming', t."from",
    coalesce(nullif(l.number, ''), $3), t.body, t.subject, t.segments, t.sim, t.attachments,
    least(t.at, pb_text(now())), pb_text(now()), pb_text(now())
  from json_to_recordset($4) t(id text, "from" text, body text, subject text, segments int, sim int, at text, attachments text[])
  left join lateral (
    select l.id, l.number from lines l
    where l.device = $2 and (l.slot in (t.sim, 0) or t.sim = 0 and not exists (
      select from lines o where o.device = $2 and o.id <> l.id))
    order by l.slot desc limit 1
  ) l on true
  where not exists (select from _texts_forgotten f where f.id = t.id)
  on conflict (id) do nothing
  returning id, line
), events as (
  insert into sms_events (id, "user", message, status, device, attempt, detail, created, changed_by)
  select pb_new_id(), $1, id, 'received', $2, 0, '', pb_text(now()), '' from changed
), heard as (
  insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, line,
    unread, unanswered, asked_at, archived, created, updated)
  select pb_new_id(), $1, n."from",
    coalesce((select c.name from contacts c where c."user" = $1 and c.phone = n."from"), ''),
    left(n.body, ${MAX_TEXT_CHARACTERS}), pb_text(now()), 'incoming', n.id, $2, n.line, n.texts, n.asks, n.asked_at,
    false, pb_text(now()), pb_text(now())
  from (
    select distinct on (t."from" collate "C") t."from", t.id, t.body, changed.line,
      count(*) over (partition by t."from" collate "C") as texts,
      case when t.reacts then bool_or(not (t.reacts or t.stops)) over (partition by t."from" collate "C")
        or exists (select from conversations o where o."user" = $1 and o.number = t."from" and o.unanswered)
        else not t.stops end as asks,
      case when t.stops then '' when t.reacts and not bool_or(not (t.reacts or t.stops)) over (partition by t."from" collate "C")
        then coalesce((select o.asked_at from conversations o where o."user" = $1 and o.number = t."from"), '')
        else pb_text(now()) end as asked_at
    from json_to_recordset($4) t(id text, "from" text, body text, at text, stops boolean, reacts boolean)
    join changed on changed.id = t.id
    where t."from" <> ''
    order by t."from" collate "C", t.at desc, t.id
  ) n
  on conflict ("user", number) do update set
    last_text = excluded.last_text, last_at = greatest(conversations.last_at, excluded.last_at),
    last_type = 'incoming', last_message = excluded.last_message, device = excluded.device,
    line = case when excluded.line = '' then conversations.line else excluded.line end,
    unread = case when conversations.blocked then 0 else conversations.unread + excluded.unread end,
    unanswered = excluded.unanswered and not conversations.blocked, asked_at = excluded.asked_at,
    archived = conversations.archived and conversations.blocked, follow_up_at = '', updated = excluded.updated
  returning id, "user", xmax = 0 as is_new, blocked
), heard_changes as (
  insert into _changes (collection, action, record)
  select 'conversations', case when is_new then 'create' else 'update' end, id from heard
  where exists (select from _listeners)
), answerable as (
  insert into _jobs (kind, holder, key)
  select '${ANSWER}', $1, t.id
  from json_to_recordset($4) t(id text, "from" text, answerable boolean, at text) join changed c on c.id = t.id
  where t.answerable and t.at > pb_text(now() - ${MAX_AGE})
    and exists (select from auto_answers a where a."user" = $1 and a.enabled)
    and not exists (select from conversations b where b."user" = $1 and b.number = t."from" and b.blocked)
    and ${HAS_ROOM}
  on conflict (kind, key) do nothing
)
select id, exists (select from user_settings s where s."user" = $1 and s.assign = 'turns'), ${JOIN_GROUPS},
  (select push_queue($1, array_agg(h.id)) from heard h where not h.blocked having count(*) > 0)
from changed`
