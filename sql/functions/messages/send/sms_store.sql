-- Stores accepted requests of one user: references, quota, messages and their queue rows. Chooses the lines.
-- Gives back the turns that were reserved and not used. Returns the devices to wake; null if there are none.
-- The caller is sms_accept, which has locked the user's row of sms_turns.
--
-- Parameters
--   owner, moment, since, sticky
--               as in sms_accept
--   turns       the user's turn, before it was reserved
--   reserved    how many turns and messages the user's row of sms_turns has counted already
--   account     what sms_accept has read of the user
--   requests, spent, is_special
--               `accepted`, `spent` and `is_special` of sms_judge; requests is null if none was accepted
--
-- Most users need only lines that take turns, which this function does itself; else sms_assign chooses them.
-- A text for which no line has room waits as `pending`. The messages of all requests are stored by one
-- statement and queued by another: of the 65 µs of a send in a group of 64 these take 26 and 14, nearly all
-- of it for the indexes.
--
-- The setting pocketsms.counted tells the trigger sms_messages_came that this function counts the messages.
-- It is set around the INSERT, because only a superuser could create a function with a SET clause for it.
create or replace function sms_store(
  owner text, moment text, since text, sticky text, turns bigint, reserved int, account record, requests anyarray,
  spent float8, is_special boolean
) returns text[] language plpgsql as $$
declare
  month constant text := left(moment, 7);
  wake text[];
  -- the messages, and how many turns they used
  drafts sms_new_message[] := '{}';
  dealt bigint := 0;
  has_quiet boolean := false;
  has_origin boolean := false;
  request sms_request;
  message sms_request_message;
  draft record;
  -- the scope of a request that its origin keeps, and how many of its messages were collected
  kept jsonb;
  n int;
  status text;
  fault text;
  has_fault boolean := false;
  place int;
  -- the usage record of this month
  usage_id text;
  usage_is_new boolean := false;
  setting text;
begin
  foreach request in array coalesce(requests, '{}') loop
    -- Store the request's references and the answer to its idempotency key.
    if request.idempotency_key is not null then
      insert into sms_idempotency ("user", key, fingerprint, answer)
      values (owner, request.idempotency_key, request.fingerprint, request.answer)
      on conflict ("user", key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
    end if;
    kept := nullif(request.scope::jsonb - 'isHelp', '{"template": "", "groups": [], "isRequired": false}');
    if request.origin is not null or kept is not null then
      has_origin := true;
      -- the messages of a campaign are stored by several requests of one batch
      insert into sms_origins (ref, "user", is_batch, created, api, id, data)
      select r.ref, owner, request.batch is not null, moment, coalesce(o.api, 'consent'), coalesce(o.id, r.ref),
        case when kept is null then o.data else (coalesce(o.data, '{}')::jsonb || jsonb_build_object('consent', kept))::json end
      from (select coalesce(request.batch, request.messages[1].id)) r(ref)
      left join json_to_record(request.origin) o(api text, id text, data json) on true
      where r.ref is not null
      on conflict do nothing;
    end if;

    -- Collect the messages. A text uses the line that exchanged the last text with its recipient. If there
    -- is none, lines take turns.
    n := 0;
    foreach message in array request.messages loop
      n := n + 1;
      fault := coalesce(request.refusals[n], '');
      has_fault := has_fault or fault <> '';
      status := case when fault <> '' then 'failed' when request.later then 'pending' else 'assigned' end;
      place := null;
      if status = 'assigned' and not is_special then
        place := array_position(account.lines, account.talk_lines[array_position(account.talks, message."to")]);
        if place is null then
          place := 1 + (turns + dealt) % cardinality(account.lines);
          dealt := dealt + 1;
        end if;
        wake := case when account.devices[place] = any (wake) then wake else wake || account.devices[place] end;
      end if;
      drafts := drafts || row(
        message.id, status, message."to", coalesce(account.numbers[place], ''), coalesce(message.body, request.body),
        message.segments, coalesce(request.device, account.devices[place], ''), coalesce(request.line, account.lines[place], ''),
        request.device is not null, request.line is not null, '', '', message.zone, request.scheduled_at, request.batch,
        request.priority, request.sim, request.scheduled_at, request.expires_at, request.guarantee, request.ref,
        not request.bulk and cardinality(request.messages) = 1, request.sealed, request.lines,
        coalesce(request.sent_by, ''), fault, null, request.scope
      )::sms_new_message;
      has_quiet := has_quiet or message.zone is not null;
    end loop;
  end loop;

  -- Give back the turns that were not used.
  if dealt < reserved or cardinality(drafts) < reserved then
    update sms_turns t set turn = turns + dealt, messages = t.messages - reserved + cardinality(drafts) where t."user" = owner;
  end if;
  if cardinality(drafts) = 0 then
    return null;
  end if;

  -- Charge the quota.
  update sms_usage s set used = s.used + spent, quota = account.monthly_quota, updated = moment
  where s."user" = owner and s.period = month
  returning s.id into usage_id;
  if not found then
    insert into sms_usage (id, "user", period, used, quota, created, updated)
    values (pb_new_id(), owner, month, spent, account.monthly_quota, moment, moment)
    returning id into usage_id;
    usage_is_new := true;
  end if;

  -- Quiet hours count in the contact's time zone if that is set. Answers in a conversation do not wait.
  if has_quiet then
    for draft in
      select d.ordinality as n, case when not d.is_answer or not exists (
        select from conversations c where c."user" = owner and c.number = d."to" and c.unanswered
      ) then coalesce((
        select nullif(pb_known_zone(c.time_zone), '') from contacts c where c."user" = owner and c.phone = d."to"
      ), d.zone) end as zone
      from unnest(drafts) with ordinality d where d.zone is not null
    loop
      drafts[draft.n].zone := draft.zone;
    end loop;
  end if;

  -- sms_assign chooses lines if taking turns is not enough. A text that gets no line is tried again when a
  -- line may have room, or in a minute.
  if is_special then
    for draft in
      select s.* from sms_assign(owner, since, moment::timestamptz, sticky, true, (
        select coalesce(json_agg(json_build_object(
          'n', d.ordinality, 'to', d."to", 'segments', d.segments, 'priority', d.priority, 'device', case when d.pinned then d.device end,
          'line', case when d.line_pinned then d.line end, 'sim', d.sim, 'zone', d.zone, 'lines', d.lines
        ) order by d.ordinality), '[]')
        from unnest(drafts) with ordinality d where d.status = 'assigned'
      )) s
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
    scheduled_at, expires_at, guarantee, client_ref, error_message, sent_by, "user", created, updated
  )
  select d.id, d.status, d."to", d."from", d.body, 'outgoing', d.device, case d.status when 'assigned' then d.line else '' end,
    d.waiting_for, coalesce(d.batch, ''), d.segments, d.priority, d.sim, coalesce(d.scheduled_at, ''),
    coalesce(d.expires_at, ''), d.guarantee, coalesce(d.ref, ''),
    d.fault, d.sent_by, owner, moment, moment
  from unnest(drafts) d;
  setting := set_config('pocketsms.counted', '', true);
  insert into sms_dispatch (
    message, "user", device, line, pinned, line_pinned, charged, cost, waiting_for, quiet_zone, state, period, wake_at,
    wakes, due_at, expires_at, priority, at_least_once, sealed, lines, scope
  )
  select d.id, owner, d.device, d.line, d.pinned, d.line_pinned, d.charged, d.cost, d.waiting_for, d.zone, d.status, month,
    case d.status when 'assigned' then moment::timestamptz + sms_wake_interval() end, (d.status = 'assigned')::int,
    d.due_at, d.expires_at::timestamptz, d.priority, d.guarantee = 'at_least_once', d.sealed, d.lines, d.scope::json
  from unnest(drafts) d where d.status <> 'failed';

  -- A text to a single recipient becomes the last text of its conversation, if there is one. Locks
  -- conversations after the user's row, in the order of their phone numbers, to avoid deadlocks.
  if account.talks is not null then
    for draft in
      select distinct on (d."to" collate "C") d."to", d.body, d.id
      from unnest(drafts) with ordinality d where d.is_answer and d."to" = any (account.talks)
      order by d."to" collate "C", d.ordinality desc
    loop
      perform sms_conversation_answered(owner, moment, draft."to", draft.body, draft.id);
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
    select pb_new_id(), owner, d.id, d.status, d.device, d.fault, pb_text(now())
    from unnest(drafts) d where d.status = 'failed';
  end if;

  -- Tell realtime subscribers that the usage changed.
  if exists (select from _listeners where 'sms_usage' <> all (ignored)) then
    insert into _changes (collection, action, record)
    values ('sms_usage', case when usage_is_new then 'create' else 'update' end, usage_id);
  end if;
  return wake;
end $$;
