-- Accepts send requests of one user (`owner`): checks each request, and for those that pass stores the
-- messages, charges the quota, chooses devices and queues the messages. A request is accepted as a whole or
-- not at all. The caller is src/sms/send/offer.ts.
--
-- Parameters
--   owner          id of the user
--   moment         now, as a pb_date: `created` of the messages; its month is the quota period
--   since          a device that was last seen at or after this pb_date counts as online
--   default_quota  messages per month for users without a quota of their own; 0 is no limit
--   node           name of this node in notifications to other nodes; '' while there are no other nodes
--   requests       JSON array of {version, key, key_version, count, device, line, from, later, batch, body,
--                  priority, sim, scheduled_at, expires_at, guarantee, ref, bulk, quiet, idempotency_key,
--                  fingerprint, answer, origin}; optional values are null. quiet: messages have a zone.
--                  origin: {ref, api, id, data}, columns of sms_origins
--   messages       JSON array of {r, id, to, body, segments, zone}; r is the number of its request, from 1;
--                  body is null if the message has the body of its request; zone is the time zone in whose
--                  quiet hours it waits, '' for the user's, null if it does not
--   sticky         a pb_date: a line that a number exchanged a text with since then is preferred; '' for none
-- Results, the first two with one element per request
--   outcomes       accepted
--                  stale             the user or the API key has changed since the request read it
--                  replayed          its idempotency key has an answer already
--                  known             a message with this client_ref exists; `known` has its id
--                  again             an earlier request of this call has the same client_ref: to be retried
--                  message_id_in_use an earlier send of this user by that API has this id
--                  device_not_found, line_not_found, line_ambiguous, quota_exceeded, no_devices
--   known          id of the existing message, else ''
--   wake           devices with new messages; null if there are none
--
-- The call locks the user's row of sms_turns first. Each statement after that sees everything committed
-- before the lock was granted, so quota, turns, references and idempotency keys are exact on any number of
-- nodes. The whole call is one round trip and one commit. Measured, in CPU of Postgres a message: 260 us
-- alone, 40 us in groups of 32. Lookups that few requests need (API key, idempotency key, client_ref, device)
-- run only for those requests: as joins they cost a single message 20 us.
--
-- Lines take turns here, which is what most users need. Where a line has limits or prefixes, or a request
-- names one, sms_assign chooses the lines. A text that only full lines could take waits as `pending`.
--
-- The setting pocketsms.counted tells the trigger sms_messages_came that this function counts the messages.
-- It is set around the INSERT: only a superuser could create a function with a SET clause for it.
create or replace function sms_accept(
  owner text, moment text, since text, default_quota float8, node text, requests json, messages json,
  sticky text default '', out outcomes text[], out known text[], out wake text[]
) language plpgsql as $$
declare
  month constant text := left(moment, 7);
  is_single constant boolean := json_array_length(requests) = 1 and json_array_length(messages) = 1;
  -- the user
  user_version text;
  monthly_quota float8;
  used float8;
  turns bigint;
  -- the available lines: all, and in the same order those that take turns, on devices below their own limits
  line_devices text[];
  line_slots int[];
  line_ranks int[];
  line_ids text[];
  free_lines text[];
  free_devices text[];
  free_numbers text[];
  is_special boolean;
  -- numbers that have a conversation
  talks text[];
  -- ids of messages to contacts that have opted out: these are stored as failed and cost nothing
  opted_out text[];
  -- the device and the line that each request names, '' for none
  named_devices text[] := '{}';
  named_lines text[] := '{}';
  -- what the accepted requests need together
  accepted bigint[] := '{}';
  refs text[] := '{}';
  stored bigint := 0;
  spent float8 := 0;
  dealt bigint := 0;
  has_idempotency boolean := false;
  has_quiet boolean := false;
  origins text[] := '{}';
  -- the requests whose text changes the conversation with its number
  spoken bigint[] := '{}';
  talk record;
  -- the request at hand
  request record;
  outcome text;
  cost int;
  named text[];
  origin text;
  live_key text;
  first_message text;
  -- the message of a single request
  single json;
  single_status text;
  place int;
  single_line text := '';
  single_device text;
  single_from text := '';
  single_charged text := '';
  single_room timestamptz;
  single_reason text := '';
  -- the results of sms_assign, by the numbers of the messages
  assigned json := '[]';
  -- the usage record of this month
  usage_id text;
  usage_is_new boolean := false;
begin
  -- Lock the user.
  select t.turn into turns from sms_turns t where t."user" = owner for update;
  if not found then
    insert into sms_turns values (owner) on conflict do nothing;
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;

  -- Read what all requests need: quota, usage of this month, available lines, opted-out recipients.
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    u.xmin::text,
    coalesce(s.used, 0),
    a.ids, a.devices, a.slots, a.ranks, coalesce(a.free_ids, '{}'), a.free_devices, a.free_numbers,
    a.free_ids is null or not a.are_plain,
    array(
      select m.id from json_to_recordset(messages) m(id text, "to" text)
      join contacts c on c."user" = owner and c.phone = m."to" and c.opted_out
    )
  into monthly_quota, user_version, used, line_ids, line_devices, line_slots, line_ranks, free_lines, free_devices,
    free_numbers, is_special, opted_out
  from users u left join sms_usage s on s."user" = u.id and s.period = month
  cross join lateral (
    select coalesce(array_agg(l.line), '{}') as ids, array_agg(l.device) as devices, array_agg(l.slot) as slots,
      array_agg(l.rank) as ranks,
      array_agg(l.line) filter (where l.rank is not null and l.is_free) as free_ids,
      array_agg(l.device) filter (where l.rank is not null and l.is_free) as free_devices,
      array_agg(l.number) filter (where l.rank is not null and l.is_free) as free_numbers,
      bool_and(l.is_plain) as are_plain
    from (select * from sms_ranked_lines(owner, since) v order by v.device collate "C", v.slot) l
  ) a
  where u.id = owner;
  if not found then
    -- The user was deleted. All requests are stale; remove the row that the lock may have inserted.
    delete from sms_turns t where t."user" = owner;
  end if;

  -- Which recipients have a conversation? One of them that a line has exchanged texts with has that line.
  select array_agg(c.number), is_special or coalesce(bool_or(sticky <> '' and c.last_at >= sticky and c.line <> ''), false)
  into talks, is_special
  from (select distinct m."to" from json_to_recordset(messages) m("to" text)) m
  cross join lateral (
    select o.number, o.last_at, o.line from conversations o where o."user" = owner and o.number = m."to" limit 1
  ) c;

  -- Decide on each request, in order.
  for request in
    select a.* from rows from (json_to_recordset(requests) as (
      version text, key text, key_version text, count int, device text, line text, "from" text, later boolean,
      ref text, idempotency_key text, batch text, body text, priority int, sim int, scheduled_at text,
      expires_at text, guarantee text, bulk boolean, quiet boolean, origin json
    )) with ordinality a(
      version, key, key_version, count, device, line, "from", later,
      ref, idempotency_key, batch, body, priority, sim, scheduled_at,
      expires_at, guarantee, bulk, quiet, origin, number
    )
  loop
    outcome := 'accepted';
    first_message := '';
    cost := request.count;
    if opted_out <> '{}' then
      select count(*) into cost from json_to_recordset(messages) m(r bigint, id text)
      where m.r = request.number and m.id <> all (opted_out);
    end if;

    -- Are the credentials still those that the request was checked with? Each update of a row changes `xmin`.
    if request.key is not null and request.key || request.key_version is distinct from live_key then
      select request.key || request.key_version into live_key from api_keys k
      where k.id = request.key and k."user" = owner and k.xmin::text = request.key_version;
    end if;
    if user_version is distinct from request.version
      or request.key is not null and request.key || request.key_version is distinct from live_key
    then
      outcome := 'stale';
    end if;

    -- Has the idempotency key an answer?
    if request.idempotency_key is not null then
      has_idempotency := true;
      perform from sms_idempotency i
      where i."user" = owner and i.key = request.idempotency_key and i.created > now() - interval '24 hours';
      if found and outcome = 'accepted' then
        outcome := 'replayed';
      end if;
    end if;

    -- Is the client_ref in use?
    if request.ref is not null and outcome = 'accepted' then
      select m.id into first_message from sms_messages m
      where m."user" = owner and m.client_ref = request.ref and m.client_ref <> '';
      outcome := case when found then 'known' when request.ref = any (refs) then 'again' else outcome end;
    end if;

    -- Is the id that the send has in another API in use?
    if request.origin is not null and outcome = 'accepted' then
      origin := (request.origin ->> 'api') || ' ' || (request.origin ->> 'id');
      perform from sms_origins o
      where o."user" = owner and o.api = request.origin ->> 'api' and o.id = request.origin ->> 'id';
      outcome := case when found or origin = any (origins) then 'message_id_in_use' else outcome end;
    end if;

    -- Does the requested device exist?
    if request.device is not null and outcome = 'accepted' then
      perform from devices d where d.id = request.device and d."user" = owner;
      if not found then
        outcome := 'device_not_found';
      end if;
    end if;

    -- Does the requested line exist? It names its device, too.
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
    has_quiet := has_quiet or request.quiet;
    is_special := is_special or request.quiet or request.device is not null or request.sim > 0;

    -- Is there quota, and a line that is available now? A scheduled message needs no line yet.
    if outcome = 'accepted' and cost > 0 then
      outcome := case
        when monthly_quota > 0 and used + spent + cost > monthly_quota then 'quota_exceeded'
        when request.later then outcome
        when request.device is null and request.sim = 0 and free_lines <> '{}' then outcome
        when exists (
          select from unnest(line_ids, line_devices, line_slots, line_ranks) l(id, device, slot, rank)
          where (l.device = request.device or request.device is null and l.rank is not null)
            and (request.line is null or l.id = request.line)
            and (request.sim = 0 or l.slot = request.sim or l.slot = 0)
        ) then outcome
        else 'no_devices'
      end;
    end if;

    if outcome = 'accepted' then
      accepted := accepted || request.number;
      stored := stored + request.count;
      spent := spent + cost;
      dealt := dealt + case when request.device is null and not request.later then cost else 0 end;
      if request.ref is not null then
        refs := refs || request.ref;
      end if;
      if request.origin is not null then
        origins := origins || origin;
      end if;
      if cost = 1 and request.count = 1 and request.bulk = false then
        spoken := spoken || request.number;
      end if;
    end if;
    named_devices := named_devices || coalesce(request.device, '');
    named_lines := named_lines || coalesce(request.line, '');
    outcomes := outcomes || outcome;
    known := known || coalesce(first_message, '');
    -- Leaves `request` set for the single message below; a loop that ends by itself does not.
    exit when is_single;
  end loop;
  if accepted = '{}' then
    return;
  end if;

  -- Charge the quota, advance the turn, count the messages.
  update sms_usage s set used = s.used + spent, quota = monthly_quota, updated = moment
  where s."user" = owner and s.period = month
  returning s.id into usage_id;
  if not found then
    insert into sms_usage (id, "user", period, used, quota, created, updated)
    values (pb_new_id(), owner, month, spent, monthly_quota, moment, moment)
    returning id into usage_id;
    usage_is_new := true;
  end if;
  update sms_turns t set turn = turns + case when is_special then 0 else dealt end, messages = t.messages + stored where t."user" = owner;

  -- Quiet hours are those of the contact's time zone if it has one. An answer in a conversation has none.
  if has_quiet then
    select json_agg(json_build_object(
      'r', m.r, 'id', m.id, 'to', m."to", 'body', m.body, 'segments', m.segments,
      'zone', case when m.zone is not null and (a.bulk or not exists (
        select from conversations c where c."user" = owner and c.number = m."to" and c.unanswered
      )) then coalesce((
        select nullif(pb_known_zone(c.time_zone), '') from contacts c where c."user" = owner and c.phone = m."to"
      ), m.zone) end
    ) order by m.number) into messages
    from rows from (json_to_recordset(messages) as (
      r bigint, id text, "to" text, body text, segments float8, zone text
    )) with ordinality m(r, id, "to", body, segments, zone, number)
    join rows from (json_to_recordset(requests) as (bulk boolean)) with ordinality a(bulk, number)
      on a.number = m.r;
  end if;

  -- Choose lines where there is more to a choice than turns. A text that finds none asks again in a minute.
  if is_special then
    select coalesce(json_agg(a), '[]') into assigned
    from (
      select s.n, s.line, s.device, s.number, s.charged,
        case when s.line is null then coalesce(s.room_at, moment::timestamptz + interval '1 minute') end as room_at,
        case when s.line is null then coalesce(nullif(s.reason, ''), 'room') else '' end as reason
      from sms_assign(owner, since, moment::timestamptz, sticky, true, (
        select coalesce(json_agg(json_build_object(
          'n', m.number, 'to', m."to", 'device', nullif(named_devices[m.r], ''), 'line', nullif(named_lines[m.r], ''),
          'sim', a.sim, 'zone', m.zone
        ) order by m.number), '[]')
        from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, zone text))
          with ordinality m(r, id, "to", zone, number)
        join rows from (json_to_recordset(requests) as (later boolean, sim int))
          with ordinality a(later, sim, number)
          on a.number = m.r
        where m.r = any (accepted) and not a.later and m.id <> all (opted_out)
      )) s
    ) a;
  end if;

  -- Store and queue the messages. Lines take turns: the n-th message goes by available line number turns + n.
  -- A single message has statements of its own: starting the large statement takes 70 us.
  perform set_config('pocketsms.counted', 'yes', true);
  if is_single then
    single := messages -> 0;
    single_status := case when opted_out <> '{}' then 'failed' when request.later then 'pending' else 'assigned' end;
    if single_status = 'pending' or is_special then
      single_device := coalesce(request.device, '');
      single_line := coalesce(request.line, '');
    end if;
    if single_status = 'assigned' and is_special then
      select coalesce(a.line, single_line), coalesce(a.device, single_device), coalesce(a.number, ''), a.charged,
        a.room_at, a.reason, case when a.line is null then 'pending' else 'assigned' end
      into single_line, single_device, single_from, single_charged, single_room, single_reason, single_status
      from json_to_recordset(assigned)
        a(line text, device text, number text, charged text, room_at timestamptz, reason text);
    elsif single_status = 'assigned' then
      place := (1 + turns % cardinality(free_lines))::int;
      single_line := free_lines[place];
      single_device := free_devices[place];
      single_from := free_numbers[place];
    elsif single_status = 'failed' then
      single_device := coalesce(request.device, '');
      single_line := '';
    end if;
    insert into sms_messages (
      id, status, "to", "from", body, message_type, device, line, waiting_for, batch_id,
      segments, priority, sim, scheduled_at, expires_at,
      guarantee, client_ref, error_message, "user", created, updated
    ) values (
      single ->> 'id', single_status, single ->> 'to', single_from, coalesce(single ->> 'body', request.body),
      'outgoing', single_device, case when single_status = 'assigned' then single_line else '' end,
      single_reason, coalesce(request.batch, ''),
      (single ->> 'segments')::float8, request.priority, request.sim, coalesce(request.scheduled_at, ''),
      coalesce(request.expires_at, ''),
      request.guarantee, coalesce(request.ref, ''),
      case single_status when 'failed' then 'Recipient has opted out' else '' end, owner, moment, moment
    );
    if single_status <> 'failed' then
      insert into sms_dispatch (
        message, "user", device, line, pinned, line_pinned, charged, waiting_for, quiet_zone, state, period,
        wake_at,
        wakes, due_at, expires_at,
        priority, at_least_once
      ) values (
        single ->> 'id', owner, single_device, single_line, request.device is not null, request.line is not null,
        single_charged, single_reason, single ->> 'zone', single_status, month,
        case single_status when 'assigned' then moment::timestamptz + sms_wake_interval() end,
        (single_status = 'assigned')::int, coalesce(single_room, request.scheduled_at::timestamptz), request.expires_at::timestamptz,
        request.priority, request.guarantee = 'at_least_once'
      );
    end if;
    if single_status = 'assigned' then
      wake := array[single_device];
    end if;
  else
    with new as (
      -- the accepted messages with the values of their requests
      select
        m.number, m.id, m."to", coalesce(m.body, a.body) as body, m.segments, m.zone,
        named_devices[m.r] as device, named_lines[m.r] as line, a.batch, a.priority, a.sim, a.scheduled_at, a.expires_at, a.guarantee, a.ref,
        case when m.id = any (opted_out) then 'failed' when a.later then 'pending' else 'assigned' end as status
      from rows from (json_to_recordset(messages) as (
        r bigint, id text, "to" text, body text, segments float8, zone text
      )) with ordinality m(r, id, "to", body, segments, zone, number)
      join rows from (json_to_recordset(requests) as (
        later boolean, batch text, body text, priority int, sim int, scheduled_at text, expires_at text,
        guarantee text, ref text
      )) with ordinality a(
        later, batch, body, priority, sim, scheduled_at, expires_at,
        guarantee, ref, number
      ) on a.number = m.r
      where m.r = any (accepted)
    ), placed as (
      -- with their places among the lines that take turns
      select n.*, case when n.status = 'assigned' and not is_special then (1 + (turns - 1 + row_number() over (
        partition by n.status order by n.number
      )) % cardinality(free_lines))::int end as place
      from new n
    ), ready as (
      -- with their lines; those that only full lines could take wait
      select p.id, p.number, p."to", p.body, p.segments, p.batch, p.priority, p.sim, p.guarantee, p.ref,
        p.scheduled_at, p.expires_at, p.device <> '' as pinned, p.line <> '' as line_pinned, s.room_at,
        case when s.n is not null and s.line is null then 'pending' else p.status end as status,
        case when p.status = 'failed' then '' else coalesce(s.device, free_devices[p.place], p.device) end as given_to,
        case when p.status = 'failed' then '' else coalesce(s.line, free_lines[p.place], p.line) end as line,
        coalesce(s.number, free_numbers[p.place], '') as "from",
        coalesce(s.charged, '') as charged, coalesce(s.reason, '') as waiting_for, p.zone
      from placed p left join json_to_recordset(assigned)
        s(n bigint, line text, device text, number text, charged text, room_at timestamptz, reason text) on s.n = p.number
    ), stored as (
      insert into sms_messages (
        id, status, "to", "from", body, message_type, device, line, waiting_for, batch_id,
        segments, priority, sim, scheduled_at, expires_at,
        guarantee, client_ref, error_message,
        "user", created, updated
      )
      select
        n.id, n.status, n."to", n."from", n.body, 'outgoing', n.given_to,
        case n.status when 'assigned' then n.line else '' end, n.waiting_for, coalesce(n.batch, ''),
        n.segments, n.priority, n.sim, coalesce(n.scheduled_at, ''), coalesce(n.expires_at, ''),
        n.guarantee, coalesce(n.ref, ''), case n.status when 'failed' then 'Recipient has opted out' else '' end,
        owner, moment, moment
      from ready n order by n.number
    ), queued as (
      insert into sms_dispatch (
        message, "user", device, line, pinned, line_pinned, charged, waiting_for, quiet_zone, state, period,
        wake_at,
        wakes, due_at, expires_at,
        priority, at_least_once
      )
      select
        n.id, owner, n.given_to, n.line, n.pinned, n.line_pinned, n.charged, n.waiting_for, n.zone, n.status, month,
        case n.status when 'assigned' then moment::timestamptz + sms_wake_interval() end,
        (n.status = 'assigned')::int, coalesce(n.room_at, n.scheduled_at::timestamptz), n.expires_at::timestamptz,
        n.priority, n.guarantee = 'at_least_once'
      from ready n where n.status <> 'failed' order by n.number
      returning device, state
    )
    select array_agg(distinct q.device) into wake from queued q where q.state = 'assigned';
  end if;
  perform set_config('pocketsms.counted', '', true);

  -- A text to one number is the last word of the conversation with it, if there is one. Conversations are
  -- locked in the order of their numbers, after the user's row, as everywhere.
  if spoken <> '{}' and talks is not null then
    for talk in
      select distinct on (m."to" collate "C") m."to", coalesce(m.body, a.body) as body, m.id
      from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, body text))
        with ordinality m(r, id, "to", body, number)
      join rows from (json_to_recordset(requests) as (body text)) with ordinality a(body, number) on a.number = m.r
      where m.r = any (spoken) and m."to" = any (talks)
      order by m."to" collate "C", m.number desc
    loop
      perform sms_conversation_answered(owner, moment, talk."to", talk.body, talk.id);
    end loop;
  end if;

  -- Tell the other nodes which devices to wake: at most 400 ids a notification, which holds 8,000 bytes.
  if node <> '' then
    perform pg_notify('pocketsms_wake', node || ' ' || string_agg(w.id, ' '))
    from unnest(wake) with ordinality w(id, number) group by (w.number - 1) / 400;
  end if;

  -- Keep the answers to idempotency keys.
  if has_idempotency then
    insert into sms_idempotency ("user", key, fingerprint, answer)
    select owner, a.idempotency_key, a.fingerprint, a.answer
    from rows from (json_to_recordset(requests) as (idempotency_key text, fingerprint text, answer text))
      with ordinality a(idempotency_key, fingerprint, answer, number)
    where a.number = any (accepted) and a.idempotency_key is not null
    on conflict ("user", key) do update
    set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
  end if;

  -- Keep the origins.
  if origins <> '{}' then
    insert into sms_origins (ref, "user", is_batch, created, api, id, data, told)
    select o.ref, owner, a.batch is not null, moment, o.api, o.id, o.data,
      case s.status when 'assigned' then 1 when 'failed' then 3 else 0 end
    from rows from (json_to_recordset(requests) as (batch text, origin json)) with ordinality a(batch, origin, number)
    cross join json_to_record(a.origin) o(ref text, api text, id text, data json)
    left join sms_messages s on s.id = o.ref
    where a.number = any (accepted);
  end if;

  -- A message to a contact that has opted out ends here, which is an event.
  if opted_out <> '{}' then
    with ended as (
      insert into sms_events (id, "user", message, status, device, detail, created)
      select pb_new_id(), owner, s.id, s.status, s.device, s.error_message, pb_text(now())
      from json_to_recordset(messages) m(r bigint, id text) join sms_messages s on s.id = m.id
      where m.r = any (accepted) and m.id = any (opted_out)
      returning *
    )
    insert into _changes (collection, action, record, image)
    select 'sms_events', 'create', e.id, row_to_json(e.*) from ended e where exists (select from _listeners);
  end if;

  -- Realtime subscribers hear of the messages and of the usage.
  if exists (select from _listeners) then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', 'create', s.id, row_to_json(s.*)
    from json_to_recordset(messages) m(r bigint, id text) join sms_messages s on s.id = m.id
    where m.r = any (accepted) order by m.r;
    insert into _changes (collection, action, record)
    values ('sms_usage', case when usage_is_new then 'create' else 'update' end, usage_id);
  end if;
end $$;
