-- Accepts send requests of one user (`owner`): checks each request, and for those that pass stores the
-- messages, charges the quota, chooses lines and queues the messages. A request is accepted as a whole or not
-- at all. The caller is src/sms/send/accept.ts.
--
-- Parameters
--   owner          id of the user
--   moment         now, as a pb_date: `created` of the messages; its month is the quota period
--   since          a pb_date: devices that were last seen at or after it count as online
--   default_quota  messages per month for users without a quota of their own; 0 is no limit
--   node           '' (the caller wakes the devices); only servers of the previous release give their id
--   sticky         a pb_date: prefer a line that exchanged a text with the recipient since then; '' if none
--   recipients     the recipients of all messages of all requests
--   requests       array of sms_request
-- Results, the first two with one element per request
--   outcomes       accepted
--                  stale             the user or the API key has changed since the request was checked
--                  replayed          the idempotency key already has an answer
--                  known             a message with this client_ref exists; `known` has its id
--                  again             an earlier request of this call has the same client_ref: retry this one
--                  message_id_in_use the user's earlier message by the same API has this id
--                  destination_not_allowed, device_not_found, line_not_found, line_ambiguous,
--                  line_not_allowed, quota_exceeded, no_devices
--   known          id of the existing message, else ''
--   wake           devices with new messages; null if there are none
--
-- The call locks the user's row of sms_turns first. Each later statement sees everything that was committed
-- before the lock was granted, so quota, turns, references and idempotency keys are exact on any number of
-- servers. The whole call is one round trip and one commit. Lookups that few requests need (API key,
-- idempotency key, client_ref, device) run only for those requests.
--
-- Most users need only lines that take turns, which this function does itself. If a line has limits or
-- prefixes, or a request or its API key names lines, sms_assign chooses the lines. A text for which no line
-- has room waits as `pending`.
--
-- The setting pocketsms.counted tells the trigger sms_messages_came that this function counts the messages.
-- It is set around the INSERT, because only a superuser could create a function with a SET clause for it.
-- Without force_generic_plan, each call would plan the statements that read an array again.
create or replace function sms_accept(
  owner text, moment text, since text, default_quota float8, node text, sticky text, recipients text[], requests anyarray,
  out outcomes text[], out known text[], out wake text[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  month constant text := left(moment, 7);
  taken constant int := cardinality(recipients);
  -- read from the user: row version, quota, how much of it is used, turn
  user_version text;
  monthly_quota float8;
  used float8;
  turns bigint;
  has_listeners boolean;
  -- prefixes that the account and the API key may send to; the lines that the key may use, null for all
  destinations text;
  key_destinations text;
  key_lines text[];
  key_read text;
  -- the available lines that take turns and whose devices are below their own limits
  free_lines text[];
  free_devices text[];
  free_numbers text[];
  -- whether sms_assign chooses the lines
  is_special boolean;
  -- recipients with whom there is a conversation, and the line of each conversation
  talks text[];
  talk_lines text[];
  -- recipients who have opted out: messages to them are stored as failed and cost nothing
  opted_out text[];
  -- of all accepted requests together: messages, their senders, client_refs, cost, turns that were used
  drafts sms_new_message[] := '{}';
  senders text[] := '{}';
  refs text[] := '{}';
  spent float8 := 0;
  dealt bigint := 0;
  has_quiet boolean := false;
  has_origin boolean := false;
  request sms_request;
  outcome text;
  cost int;
  named text[];
  live_key text;
  first_message text;
  message sms_request_message;
  draft record;
  status text;
  place int;
  -- the usage record of this month
  usage_id text;
  usage_is_new boolean := false;
  setting text;
begin
  -- Lock the user's row, and reserve a turn for each message: turns decide which line a message gets.
  insert into sms_turns as t ("user", turn, messages) values (owner, taken, taken)
  on conflict ("user") do update set turn = t.turn + excluded.turn, messages = t.messages + excluded.messages
  returning t.turn - taken into turns;

  -- Read what all requests need: quota, usage of this month, available lines, conversations, opt-outs.
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    u.xmin::text, coalesce(s.used, 0), exists (select from _listeners),
    coalesce((select o.destinations from user_settings o where o."user" = owner), ''),
    coalesce(a.lines, '{}'), a.devices, a.numbers, a.lines is null or not a.are_plain, c.numbers, c.lines,
    array(
      select c.phone from unnest(recipients) n(number)
      join contacts c on c."user" = owner and c.phone = n.number and c.opted_out
    )
  into monthly_quota, user_version, used, has_listeners, destinations, free_lines, free_devices, free_numbers, is_special,
    talks, talk_lines, opted_out
  from users u left join sms_usage s on s."user" = u.id and s.period = month
  cross join lateral (
    select array_agg(l.line) filter (where l.is_free) as lines,
      array_agg(l.device) filter (where l.is_free) as devices,
      array_agg(l.number) filter (where l.is_free) as numbers,
      bool_and(l.is_plain) as are_plain
    from (select * from sms_ranked_lines(owner, since) v where v.rank = 0 order by v.device collate "C", v.slot) l
  ) a
  cross join lateral (
    select array_agg(c.number) as numbers,
      array_agg(case when sticky <> '' and c.last_at >= sticky then c.line end) as lines
    from unnest(recipients) n(number) cross join lateral (
      select o.number, o.last_at, o.line from conversations o where o."user" = owner and o.number = n.number limit 1
    ) c
  ) c
  where u.id = owner;
  if not found then
    -- The user was deleted, so all requests are stale. Remove the row that was just inserted. Its count must
    -- be 0 first, because a trigger adds the count of a deleted row to sms_totals.
    update sms_turns t set messages = 0 where t."user" = owner;
    delete from sms_turns t where t."user" = owner;
  end if;

  -- Quiet hours apply to all messages of a request or to none: the first message shows which.
  foreach request in array requests loop
    has_quiet := has_quiet or request.messages[1].zone is not null;
    is_special := is_special or has_quiet or request.sim > 0
      or coalesce(request.device, request.line, request."from") is not null;
  end loop;

  -- Decide on each request, in order.
  foreach request in array requests loop
    outcome := 'accepted';
    first_message := '';
    cost := cardinality(request.messages);
    if opted_out <> '{}' then
      select count(*) into cost from unnest(request.messages) m where m."to" <> all (opted_out);
    end if;

    -- Are the credentials still those that the request was checked with? Each update of a row changes `xmin`.
    -- A request without a version comes from the account itself (a campaign): is the account enabled?
    if request.key is not null and request.key || request.key_version is distinct from live_key then
      select request.key || request.key_version into live_key from api_keys k
      where k.id = request.key and k."user" = owner and k.xmin::text = request.key_version;
    end if;
    if request.version is null then
      perform from user_settings s where s."user" = owner and s.disabled;
      outcome := case when found or user_version is null then 'stale' else outcome end;
    elsif user_version is distinct from request.version
      or request.key is not null and request.key || request.key_version is distinct from live_key
    then
      outcome := 'stale';
    end if;

    -- Does the idempotency key already have an answer?
    if request.idempotency_key is not null and outcome = 'accepted' then
      perform from sms_idempotency i
      where i."user" = owner and i.key = request.idempotency_key and i.created > now() - interval '24 hours';
      outcome := case when found then 'replayed' else outcome end;
    end if;

    -- Is the client_ref in use?
    if request.ref is not null and outcome = 'accepted' then
      select m.id into first_message from sms_messages m
      where m."user" = owner and m.client_ref = request.ref and m.client_ref <> '';
      outcome := case when found then 'known' when request.ref = any (refs) then 'again' else outcome end;
    end if;

    -- Has an earlier message the id that this request has in SMSGate's or Twilio's API?
    if request.origin is not null and outcome = 'accepted' then
      perform from sms_origins o
      where o."user" = owner and o.api = request.origin ->> 'api' and o.id = request.origin ->> 'id';
      outcome := case when found then 'message_id_in_use' else outcome end;
    end if;

    -- May the messages go to these phone numbers? If `sent_by` is an API key, the key must allow them, too.
    if request.sent_by is distinct from key_read then
      select k.destinations, nullif(k.lines, '{}') into key_destinations, key_lines
      from api_keys k where k.id = request.sent_by and k."user" = owner;
      key_read := request.sent_by;
    end if;
    is_special := is_special or key_lines is not null;
    if outcome = 'accepted' and destinations || coalesce(key_destinations, '') <> '' then
      perform from unnest(request.messages) m
      where not (sms_is_destination(destinations, m."to") and sms_is_destination(key_destinations, m."to"));
      outcome := case when found then 'destination_not_allowed' else outcome end;
    end if;

    -- Does the requested device exist?
    if request.device is not null and outcome = 'accepted' then
      perform from devices d where d.id = request.device and d."user" = owner;
      outcome := case when found then outcome else 'device_not_found' end;
    end if;

    -- Does the requested line exist? The line determines the device.
    if (request.line is not null or request."from" is not null) and outcome = 'accepted' then
      select array_agg(l.line), min(l.device) into named, request.device
      from sms_named_lines(owner, request.line, request."from", request.device, request.sim) l;
      outcome := case
        when named is null then 'line_not_found'
        when cardinality(named) > 1 then 'line_ambiguous'
        else outcome
      end;
      request.line := named[1];
    end if;

    -- May the API key send by the requested line? If only a device or slot is requested, the key needs one
    -- line of it.
    if key_lines is not null and (request.device is not null or request.sim > 0) and outcome = 'accepted' then
      perform from lines l
      where l.id = any (key_lines) and l."user" = owner and (request.line is null or l.id = request.line)
        and (request.device is null or l.device = request.device)
        and (request.sim = 0 or l.slot = request.sim or l.slot = 0);
      outcome := case when found then outcome else 'line_not_allowed' end;
    end if;

    -- Is there enough quota, and a line that is available now? A scheduled message needs no line yet.
    if outcome = 'accepted' and cost > 0 then
      if monthly_quota > 0 and used + spent + cost > monthly_quota then
        outcome := 'quota_exceeded';
      elsif not request.later
        and (request.device is not null or request.sim > 0 or key_lines is not null or free_lines = '{}')
      then
        perform from sms_ranked_lines(owner, since) l
        where (l.device = request.device or request.device is null and (l.rank = 0 or l.rank = 1 and request.sim > 0))
          and (request.line is null or l.line = request.line) and (key_lines is null or l.line = any (key_lines))
          and (request.sim = 0 or l.slot = request.sim or l.slot = 0);
        outcome := case when found then outcome else 'no_devices' end;
      end if;
    end if;
    outcomes := outcomes || outcome;
    known := known || coalesce(first_message, '');
    continue when outcome <> 'accepted';

    -- Store the request's references and the answer to its idempotency key.
    spent := spent + cost;
    if request.ref is not null then
      refs := refs || request.ref;
    end if;
    if request.idempotency_key is not null then
      insert into sms_idempotency ("user", key, fingerprint, answer)
      values (owner, request.idempotency_key, request.fingerprint, request.answer)
      on conflict ("user", key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
    end if;
    if request.origin is not null then
      has_origin := true;
      insert into sms_origins (ref, "user", is_batch, created, api, id, data)
      select o.ref, owner, request.batch is not null, moment, o.api, o.id, o.data
      from json_to_record(request.origin) o(ref text, api text, id text, data json);
    end if;

    -- Collect the messages. A text uses the line that exchanged the last text with its recipient. If there
    -- is none, lines take turns.
    foreach message in array request.messages loop
      status := case when message."to" = any (opted_out) then 'failed' when request.later then 'pending' else 'assigned' end;
      place := null;
      if status = 'assigned' and not is_special then
        place := array_position(free_lines, talk_lines[array_position(talks, message."to")]);
        if place is null then
          place := 1 + (turns + dealt) % cardinality(free_lines);
          dealt := dealt + 1;
        end if;
        wake := case when free_devices[place] = any (wake) then wake else wake || free_devices[place] end;
      end if;
      drafts := drafts || row(
        message.id, status, message."to", coalesce(free_numbers[place], ''), coalesce(message.body, request.body),
        message.segments, coalesce(request.device, free_devices[place], ''), coalesce(request.line, free_lines[place], ''),
        request.device is not null, request.line is not null, '', '', message.zone, request.scheduled_at, request.batch,
        request.priority, request.sim, request.scheduled_at, request.expires_at, request.guarantee, request.ref,
        not request.bulk and cost = 1 and cardinality(request.messages) = 1, request.sealed, key_lines
      )::sms_new_message;
      senders := senders || coalesce(request.sent_by, '');
    end loop;
  end loop;

  -- Give back the turns that were not used.
  if dealt < taken or cardinality(drafts) < taken then
    update sms_turns t set turn = turns + dealt, messages = t.messages - taken + cardinality(drafts) where t."user" = owner;
  end if;
  if cardinality(drafts) = 0 then
    return;
  end if;

  -- Charge the quota.
  update sms_usage s set used = s.used + spent, quota = monthly_quota, updated = moment
  where s."user" = owner and s.period = month
  returning s.id into usage_id;
  if not found then
    insert into sms_usage (id, "user", period, used, quota, created, updated)
    values (pb_new_id(), owner, month, spent, monthly_quota, moment, moment)
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
          'n', d.ordinality, 'to', d."to", 'device', case when d.pinned then d.device end,
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
    case d.status when 'failed' then 'Recipient has opted out' else '' end, senders[d.ordinality], owner, moment, moment
  from unnest(drafts) with ordinality d;
  setting := set_config('pocketsms.counted', '', true);
  insert into sms_dispatch (
    message, "user", device, line, pinned, line_pinned, charged, waiting_for, quiet_zone, state, period, wake_at,
    wakes, due_at, expires_at, priority, at_least_once, sealed, lines
  )
  select d.id, owner, d.device, d.line, d.pinned, d.line_pinned, d.charged, d.waiting_for, d.zone, d.status, month,
    case d.status when 'assigned' then moment::timestamptz + sms_wake_interval() end, (d.status = 'assigned')::int,
    d.due_at, d.expires_at::timestamptz, d.priority, d.guarantee = 'at_least_once', d.sealed, d.lines
  from unnest(drafts) d where d.status <> 'failed';

  -- A text to a single recipient becomes the last text of its conversation, if there is one. Locks
  -- conversations after the user's row, in the order of their phone numbers, to avoid deadlocks.
  if talks is not null then
    for draft in
      select distinct on (d."to" collate "C") d."to", d.body, d.id
      from unnest(drafts) with ordinality d where d.is_answer and d."to" = any (talks)
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

  -- Record an event for each message that failed because its recipient has opted out.
  if opted_out <> '{}' then
    insert into sms_events (id, "user", message, status, device, detail, created)
    select pb_new_id(), owner, d.id, d.status, d.device, 'Recipient has opted out', pb_text(now())
    from unnest(drafts) d where d.status = 'failed';
  end if;

  -- For a server of the previous release: tell other servers which devices to wake. At most 400 ids per
  -- notification, which holds 8,000 bytes.
  if node <> '' then
    perform pg_notify('pocketsms_wake', node || ' ' || string_agg(w.id, ' '))
    from unnest(wake) with ordinality w(id, number) group by (w.number - 1) / 400;
  end if;

  -- Tell realtime subscribers that the usage changed.
  if has_listeners then
    insert into _changes (collection, action, record)
    select 'sms_usage', case when usage_is_new then 'create' else 'update' end, usage_id
    where exists (select from _listeners where 'sms_usage' <> all (ignored));
  end if;
end $$;
