-- Stores and queues messages of several users. Chooses the lines of those in `special` by sms_assign. Returns
-- the devices to wake of these; null if there are none. The caller is sms_accept, which has locked the users'
-- rows of sms_turns.
--
-- Parameters
--   moment, since, sticky
--               as in sms_accept
--   drafts      array of sms_new_message
--   special     ids of the users whose lines sms_assign must choose
--   has_quiet, has_answer, has_origin, has_fault
--               messages may keep quiet hours, answer in a conversation, have a row of sms_origins, or fail
--
-- A text for which no line has room waits as `pending`. The messages of all requests are stored by one
-- statement and queued by another: of the 65 µs of a send in a group of 64 these take 26 and 14, nearly all
-- of it for the indexes.
--
-- The setting pocketsms.counted tells the trigger sms_messages_came that sms_accept counts the messages. It
-- is set around the INSERT, because only a superuser could create a function with a SET clause for it.
create or replace function sms_store(
  moment text, since text, sticky text, drafts anyarray, special text[], has_quiet boolean, has_answer boolean,
  has_origin boolean, has_fault boolean
) returns text[] language plpgsql as $$
declare
  wake text[];
  draft record;
  setting text;
begin
  -- Quiet hours count in the contact's time zone if that is set. Answers in a conversation do not wait.
  if has_quiet then
    for draft in
      select d.ordinality as n, case when not d.is_answer or not exists (
        select from conversations c where c."user" = d."user" and c.number = d."to" and c.unanswered
      ) then coalesce((
        select nullif(pb_known_zone(c.time_zone), '') from contacts c where c."user" = d."user" and c.phone = d."to"
      ), d.zone) end as zone
      from unnest(drafts) with ordinality d where d.zone is not null
    loop
      drafts[draft.n].zone := draft.zone;
    end loop;
  end if;

  -- sms_assign chooses lines if taking turns is not enough. A text that gets no line is tried again when a
  -- line may have room, or in a minute.
  if special <> '{}' then
    for draft in
      select s.* from (
        select d."user", json_agg(json_build_object(
          'n', d.ordinality, 'to', d."to", 'segments', d.segments, 'priority', d.priority, 'device', case when d.pinned then d.device end,
          'line', case when d.line_pinned then d.line end, 'sim', d.sim, 'zone', d.zone, 'lines', d.lines
        ) order by d.ordinality) as texts
        from unnest(drafts) with ordinality d where d.status = 'assigned' and d."user" = any (special)
        group by d."user" order by d."user" collate "C"
      ) t cross join lateral sms_assign(t."user", since, moment::timestamptz, sticky, true, t.texts) s
    loop
      if draft.line is null then
        drafts[draft.n].status := 'pending';
        drafts[draft.n].waiting_for := coalesce(nullif(draft.reason, ''), 'room');
        drafts[draft.n].due_at := coalesce(draft.room_at, moment::timestamptz + interval '1 minute');
      else
        drafts[draft.n].line := draft.line;
        drafts[draft.n].device := draft.device;
        drafts[draft.n]."from" := draft.number;
        drafts[draft.n].charged := draft.charged;
        drafts[draft.n].cost := draft.cost;
        wake := case when draft.device = any (wake) then wake else wake || draft.device end;
      end if;
    end loop;
  end if;

  -- Store and queue the messages.
  setting := set_config('pocketsms.counted', 'yes', true);
  insert into sms_messages (
    id, status, "to", "from", body, message_type, device, line, waiting_for, batch_id, segments, priority, sim,
    scheduled_at, expires_at, guarantee, client_ref, error_message, sent_by, subject, attachments, "user", created, updated
  )
  select d.id, d.status, d."to", d."from", d.body, 'outgoing', d.device, case d.status when 'assigned' then d.line else '' end,
    d.waiting_for, coalesce(d.batch, ''), d.segments, d.priority, d.sim, coalesce(d.scheduled_at, ''),
    coalesce(d.expires_at, ''), d.guarantee, coalesce(d.ref, ''),
    d.fault, d.sent_by, d.subject, d.attachments, d."user", moment, moment
  from unnest(drafts) d;
  setting := set_config('pocketsms.counted', '', true);
  insert into sms_dispatch (
    message, "user", device, line, pinned, line_pinned, charged, cost, waiting_for, quiet_zone, state, period, wake_at,
    wakes, due_at, expires_at, priority, at_least_once, sealed, lines, scope, send
  )
  select d.id, d."user", d.device, d.line, d.pinned, d.line_pinned, d.charged, d.cost, d.waiting_for, d.zone, d.status, left(moment, 7),
    case d.status when 'assigned' then moment::timestamptz + sms_wake_interval() end, (d.status = 'assigned')::int,
    d.due_at, d.expires_at::timestamptz, d.priority, d.guarantee = 'at_least_once', d.sealed, d.lines, d.scope::json,
    coalesce(d.batch, d.id)
  from unnest(drafts) d where d.status <> 'failed';

  -- A text to a single recipient becomes the last text of its conversation, if there is one. Locks
  -- conversations after the users' rows, in the order of their phone numbers, to avoid deadlocks.
  if has_answer then
    for draft in
      select distinct on (d."user" collate "C", d."to" collate "C") d."user", d."to", d.body, d.id
      from unnest(drafts) with ordinality d where d.is_answer
      order by d."user" collate "C", d."to" collate "C", d.ordinality desc
    loop
      perform sms_conversation_answered(draft."user", moment, draft."to", draft.body, draft.id);
    end loop;
  end if;

  -- The answer to the request has the first status, so no status callback repeats it.
  if has_origin then
    update sms_origins o set told = case d.status when 'assigned' then 1 else 3 end
    from unnest(drafts) d where o.ref = d.id and d.status <> 'pending';
  end if;

  -- Record an event for each message to a person who has opted out or has not agreed.
  if has_fault then
    insert into sms_events (id, "user", message, status, device, detail, created)
    select pb_new_id(), d."user", d.id, d.status, d.device, d.fault, pb_text(now())
    from unnest(drafts) d where d.status = 'failed';
  end if;
  return wake;
end $$;
