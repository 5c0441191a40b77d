-- 0020 one message is stored without what many need.
-- Why:   most requests send one message, and come alone while there is little to do. To start the statement that stores many took
--        70 us of the 240 that accepting one did.
-- Locks: none; the function is replaced. As in 0014 and 0019, but for is_single.
create or replace function sms_accept(
  owner text, moment text, since text, default_quota float8, node text, requests json, messages json,
  out outcomes text[], out known text[], out wake text[]
) language plpgsql as $$
declare
  month constant text := left(moment, 7);
  turns bigint;
  allowed float8;
  current_version text;
  used float8;
  spent float8 := 0;
  given bigint := 0;
  stored bigint := 0;
  available text[];
  opted_out text[];
  live_key text;
  refs text[] := '{}';
  accepted bigint[] := '{}';
  with_keys boolean := false;
  usage_id text;
  usage_is_new boolean := false;
  r record;
  cost int;
  outcome text;
  first_message text;
  is_single constant boolean := json_array_length(requests) = 1 and json_array_length(messages) = 1;
  single json;
  fate text;
  chosen text;
begin
  select t.turn into turns from sms_turns t where t."user" = owner for update;
  if not found then
    insert into sms_turns values (owner) on conflict do nothing;
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;
  select case when u.monthly_quota > 0 then u.monthly_quota else default_quota end, u.xmin::text,
    coalesce(s.used, 0),
    array(select d.id from sms_available_devices(owner, since) d order by d.id collate "C"),
    array(
      select m.id from json_to_recordset(messages) m(id text, "to" text)
      join contacts c on c."user" = owner and c.phone = m."to" and c.opted_out
    )
  into allowed, current_version, used, available, opted_out
  from users u left join sms_usage s on s."user" = u.id and s.period = month where u.id = owner;
  if not found then
    -- deleted: what the lock above may have made goes, too
    delete from sms_turns t where t."user" = owner;
  end if;

  for r in
    select a.* from rows from (json_to_recordset(requests) as (
      version text, key text, key_version text, count int, device text, later boolean, ref text, idempotency_key text,
      batch text, body text, priority int, sim int, scheduled_at text, expires_at text, guarantee text
    )) with ordinality a(version, key, key_version, count, device, later, ref, idempotency_key, batch, body, priority, sim,
      scheduled_at, expires_at, guarantee, number)
  loop
    outcome := 'accepted';
    cost := r.count;
    first_message := '';
    if opted_out <> '{}' then
      select count(*) into cost from json_to_recordset(messages) m(r bigint, id text)
      where m.r = r.number and m.id <> all (opted_out);
    end if;
    if r.key is not null and r.key || r.key_version is distinct from live_key then
      select r.key || r.key_version into live_key from api_keys k
      where k.id = r.key and k."user" = owner and k.xmin::text = r.key_version;
    end if;
    if current_version is distinct from r.version
      or r.key is not null and r.key || r.key_version is distinct from live_key
    then
      outcome := 'stale';
    end if;
    if r.idempotency_key is not null then
      with_keys := true;
      perform from sms_idempotency i
      where i."user" = owner and i.key = r.idempotency_key and i.created > now() - interval '24 hours';
      if found and outcome = 'accepted' then outcome := 'replayed'; end if;
    end if;
    if r.ref is not null and outcome = 'accepted' then
      select m.id into first_message from sms_messages m
      where m."user" = owner and m.client_ref = r.ref and m.client_ref <> '';
      outcome := case when found then 'known' when r.ref = any (refs) then 'again' else outcome end;
    end if;
    if r.device is not null and outcome = 'accepted' then
      perform from devices d where d.id = r.device and d."user" = owner;
      if not found then outcome := 'device_not_found'; end if;
    end if;
    if outcome = 'accepted' and cost > 0 then
      outcome := case
        when allowed > 0 and used + spent + cost > allowed then 'quota_exceeded'
        when r.later or r.device = any (available) or r.device is null and available <> '{}' then outcome
        else 'no_devices'
      end;
    end if;

    if outcome = 'accepted' then
      accepted := accepted || r.number;
      stored := stored + r.count;
      spent := spent + cost;
      given := given + case when r.device is null and not r.later then cost else 0 end;
      if r.ref is not null then refs := refs || r.ref; end if;
    end if;
    outcomes := outcomes || outcome;
    known := known || coalesce(first_message, '');
    exit when is_single; -- r stays as it is
  end loop;
  if accepted = '{}' then return; end if;

  update sms_usage s set used = s.used + spent, quota = allowed, updated = moment
  where s."user" = owner and s.period = month returning s.id into usage_id;
  if not found then
    insert into sms_usage (id, "user", period, used, quota, created, updated)
    values (pb_new_id(), owner, month, spent, allowed, moment, moment) returning id into usage_id;
    usage_is_new := true;
  end if;
  update sms_turns t set turn = turns + given, messages = t.messages + stored where t."user" = owner;

  perform set_config('pocketsms.counted', 'yes', true);
  if is_single then
    single := messages -> 0;
    fate := case when opted_out <> '{}' then 'failed' when r.later then 'pending' else 'assigned' end;
    chosen := case
      when fate = 'failed' then ''
      when r.device is not null then r.device
      when fate = 'pending' then ''
      else available[(1 + turns % cardinality(available))::int]
    end;
    insert into sms_messages (id, status, "to", body, message_type, device, batch_id, segments, priority, sim,
      scheduled_at, expires_at, guarantee, client_ref, error_message, "user", created, updated)
    values (single ->> 'id', fate, single ->> 'to', coalesce(single ->> 'body', r.body), 'outgoing', chosen,
      coalesce(r.batch, ''), (single ->> 'segments')::float8, r.priority, r.sim, coalesce(r.scheduled_at, ''),
      coalesce(r.expires_at, ''), r.guarantee, coalesce(r.ref, ''),
      case fate when 'failed' then 'Recipient has opted out' else '' end, owner, moment, moment);
    if fate <> 'failed' then
      insert into sms_dispatch (message, "user", device, pinned, state, period, wake_at, wakes, due_at, expires_at,
        priority, at_least_once)
      values (single ->> 'id', owner, chosen, r.device is not null, fate, month,
        case fate when 'assigned' then moment::timestamptz + interval '5 seconds' end,
        case fate when 'assigned' then 1 else 0 end, r.scheduled_at::timestamptz, r.expires_at::timestamptz,
        r.priority, r.guarantee = 'at_least_once');
    end if;
    if fate = 'assigned' then wake := array[chosen]; end if;
  else
    with new as (
      select m.number, m.id, m."to", coalesce(m.body, a.body) as body, m.segments, a.device, a.batch, a.priority,
        a.sim, a.scheduled_at, a.expires_at, a.guarantee, a.ref,
        case when m.id = any (opted_out) then 'failed' when a.later then 'pending' else 'assigned' end as status
      from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, body text, segments float8))
        with ordinality m(r, id, "to", body, segments, number)
      join rows from (json_to_recordset(requests) as (
        device text, later boolean, batch text, body text, priority int, sim int, scheduled_at text, expires_at text,
        guarantee text, ref text
      )) with ordinality a(device, later, batch, body, priority, sim, scheduled_at, expires_at, guarantee, ref, number)
        on a.number = m.r
      where m.r = any (accepted)
    ), ready as (
      select n.*, case
        when n.status = 'failed' then ''
        when n.device is not null then n.device
        when n.status = 'pending' then ''
        else available[(1 + (turns - 1 + row_number() over (
          partition by n.device is null and n.status = 'assigned' order by n.number
        )) % cardinality(available))::int]
      end as given_to
      from new n
    ), stored as (
      insert into sms_messages (id, status, "to", body, message_type, device, batch_id, segments, priority, sim,
        scheduled_at, expires_at, guarantee, client_ref, error_message, "user", created, updated)
      select n.id, n.status, n."to", n.body, 'outgoing', n.given_to, coalesce(n.batch, ''), n.segments, n.priority,
        n.sim, coalesce(n.scheduled_at, ''), coalesce(n.expires_at, ''), n.guarantee, coalesce(n.ref, ''),
        case n.status when 'failed' then 'Recipient has opted out' else '' end, owner, moment, moment
      from ready n order by n.number
    ), queued as (
      insert into sms_dispatch (message, "user", device, pinned, state, period, wake_at, wakes, due_at, expires_at,
        priority, at_least_once)
      select n.id, owner, n.given_to, n.device is not null, n.status, month,
        case n.status when 'assigned' then moment::timestamptz + interval '5 seconds' end,
        case n.status when 'assigned' then 1 else 0 end, n.scheduled_at::timestamptz, n.expires_at::timestamptz,
        n.priority, n.guarantee = 'at_least_once'
      from ready n where n.status <> 'failed' order by n.number
      returning device, state
    )
    select array_agg(distinct q.device) into wake from queued q where q.state = 'assigned';
  end if;
  perform set_config('pocketsms.counted', '', true);
  if node <> '' then
    perform pg_notify('pocketsms_wake', node || ' ' || string_agg(w.id, ' '))
    from unnest(wake) with ordinality w(id, number) group by (w.number - 1) / 400;
  end if;

  if with_keys then
    insert into sms_idempotency ("user", key, fingerprint, answer)
    select owner, a.idempotency_key, a.fingerprint, a.answer
    from rows from (json_to_recordset(requests) as (idempotency_key text, fingerprint text, answer text))
      with ordinality a(idempotency_key, fingerprint, answer, number)
    where a.number = any (accepted) and a.idempotency_key is not null
    on conflict ("user", key) do update
    set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
  end if;

  if opted_out <> '{}' then
    insert into webhook_dispatch (delivery, webhook, "user", event_id, event, message)
    select pb_new_id(), w.id, owner, m.event_id, 'message.failed', m.id
    from (
      select a.id, pb_new_id() as event_id from json_to_recordset(messages) a(r bigint, id text)
      where a.r = any (accepted) and a.id = any (opted_out)
    ) m join webhooks w on w."user" = owner and w.enabled and 'message.failed' = any (w.events);
  end if;

  if exists (select from _listeners) then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', 'create', s.id, row_to_json(s.*)
    from json_to_recordset(messages) m(r bigint, id text) join sms_messages s on s.id = m.id
    where m.r = any (accepted) order by m.r;
    insert into _changes (collection, action, record)
    values ('sms_usage', case when usage_is_new then 'create' else 'update' end, usage_id);
  end if;
end $$;
