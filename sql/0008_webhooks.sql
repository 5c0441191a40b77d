-- 0008 what tells webhooks of messages.

-- Bodies below name tables of collections, which are made from their schemas after the migrations.
set local check_function_bodies = off;

-- One row for each delivery that is not over: written in the transaction of the event, deleted with its last attempt.
create table webhook_dispatch (
  -- id of its record in webhook_deliveries
  delivery text collate "C" primary key,
  webhook text collate "C" not null,
  "user" text collate "C" not null,
  due_at timestamptz not null default now(),
  -- since when it has a ticket in the queue
  handed_at timestamptz,
  -- of a new event: its id, which is the webhook-id; its type; the message, or else what stands in for its row
  event_id text collate "C",
  event text collate "C",
  message text collate "C",
  image json
);
create index webhook_dispatch_due on webhook_dispatch (webhook, due_at) where handed_at is null;
create index webhook_dispatch_handed on webhook_dispatch (webhook) where handed_at is not null;

-- What a delivery says, for as long as its record is there: the message's row as the event left it.
create table webhook_payloads (
  delivery text collate "C" primary key,
  at timestamptz not null,
  image json not null
);

-- Until when the secret before the last rotation counts beside the new one.
create table webhook_rotations (
  webhook text collate "C" primary key,
  until timestamptz not null
);

-- What follows from a new event, at the end of its statement: the message is as all of it left it. The
-- delivery gets its record and what it says; none for a message that is gone. NOTIFY only wakes, once a transaction.
create function webhook_noted() returns trigger language plpgsql as $$
declare
  moment constant text := pb_text(now());
begin
  insert into webhook_payloads (delivery, at, image)
  select new.delivery, now(), i.image
  from (select coalesce(new.image, (select row_to_json(m) from sms_messages m where m.id = new.message)) as image) i
  where i.image is not null;
  if not found then
    delete from webhook_dispatch where delivery = new.delivery;
    return null;
  end if;
  insert into webhook_deliveries (id, "user", webhook, event_id, event, message, status, next_attempt_at, created,
    updated)
  values (new.delivery, new."user", new.webhook, new.event_id, new.event, coalesce(new.message, ''), 'pending', moment,
    moment, moment);
  if exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('webhook_deliveries', 'create', new.delivery);
  end if;
  perform pg_notify('pocketsms_webhooks', '');
  return null;
end $$;
create trigger noted after insert on webhook_dispatch for each row when (new.event_id is not null)
execute function webhook_noted();

-- As in 0002, but that webhooks are told of recipients who have opted out: their messages have failed from the start. And
-- `node` may be '': nobody else is there who would have to hear of wake-ups.
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
      version text, key text, key_version text, count int, device text, later boolean, ref text, idempotency_key text
    )) with ordinality a(version, key, key_version, count, device, later, ref, idempotency_key, number)
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
      spent := spent + cost;
      given := given + case when r.device is null and not r.later then cost else 0 end;
      if r.ref is not null then refs := refs || r.ref; end if;
    end if;
    outcomes := outcomes || outcome;
    known := known || coalesce(first_message, '');
  end loop;
  if accepted = '{}' then return; end if;

  update sms_usage s set used = s.used + spent, quota = allowed, updated = moment
  where s."user" = owner and s.period = month returning s.id into usage_id;
  if not found then
    insert into sms_usage (id, "user", period, used, quota, created, updated)
    values (pb_new_id(), owner, month, spent, allowed, moment, moment) returning id into usage_id;
    usage_is_new := true;
  end if;
  if given > 0 then
    update sms_turns t set turn = turns + given where t."user" = owner;
  end if;

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
    select 'sms_messages', 'create', s.id, row_to_json(s)
    from json_to_recordset(messages) m(r bigint, id text) join sms_messages s on s.id = m.id
    where m.r = any (accepted) order by m.r;
    insert into _changes (collection, action, record)
    values ('sms_usage', case when usage_is_new then 'create' else 'update' end, usage_id);
  end if;
end $$;
