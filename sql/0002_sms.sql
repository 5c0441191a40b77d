-- 0002 what drives a message from accepted to finished, and the statement that accepts.

-- Bodies below name tables of collections, which are made from their schemas after the migrations.
set local check_function_bodies = off;

-- One row for each message that still has work to do: written with the message, deleted when it is finished, so
-- that it stays small whatever the history. `state` repeats the message's status.
create table sms_dispatch (
  message text collate "C" primary key,
  "user" text collate "C" not null,
  -- '' while no device is chosen (scheduled for later)
  device text collate "C" not null default '',
  -- the request named this device: never given to another
  pinned boolean not null default false,
  state text collate "C" not null check (state in ('pending', 'assigned', 'sending')),
  -- the month that paid for it, as in sms_usage
  period text collate "C" not null,
  -- fencing token: 0 before the first claim, + 1 with each
  attempt integer not null default 0,
  lease_until timestamptz,
  -- next wake-up of the device, and how many it had
  wake_at timestamptz,
  wakes integer not null default 0,
  due_at timestamptz,
  expires_at timestamptz,
  priority smallint not null default 0,
  at_least_once boolean not null default false,
  -- order of acceptance
  position bigint generated always as identity
);
-- the order in which a device claims
create index sms_dispatch_claim on sms_dispatch (device, state, priority desc, position);

-- Round robin: how many messages of a user were given out by turn. Whoever accepts for a user locks its row first.
create table sms_turns (
  "user" text collate "C" primary key,
  turn bigint not null default 0
);

-- First answers to requests that carried an Idempotency-Key. Older than a day they do not count; a job removes them.
create table sms_idempotency (
  "user" text collate "C" not null,
  key text collate "C" not null,
  -- of the whole request: the same key with another is an error
  fingerprint text collate "C" not null,
  answer text not null,
  created timestamptz not null default now(),
  primary key ("user", key)
);
create index sms_idempotency_age on sms_idempotency (created);

-- Whether a device has been handed fewer messages than its limits allow; 0 is no limit.
create function sms_is_below_limits(device_id text, per_minute float8, daily_limit float8) returns boolean
language sql stable as $$
  select (per_minute <= 0 or per_minute > coalesce(sum(h.messages) filter (where h.at > now() - interval '1 minute'), 0))
    and (daily_limit <= 0 or daily_limit > coalesce(sum(h.messages), 0))
  from device_handouts h where h.device = device_id and h.at > now() - interval '1 day'
$$;

-- Devices of a user that can be given a message now: enabled, seen at or after `since` or with a push subscription,
-- below their limits. In no order; round robin goes by id.
create function sms_available_devices(owner text, since text) returns table (id text)
language sql stable as $$
  select d.id from devices d
  where d."user" = owner and d.enabled and (d.last_seen >= since or pb_is_set(d.push))
    and (d.per_minute <= 0 and d.daily_limit <= 0 or sms_is_below_limits(d.id, d.per_minute, d.daily_limit))
$$;

-- Accepts requests of one user, each wholly or not at all, in their order. Says of each what became of it
-- (`outcomes`): accepted; stale (its credentials have changed since they were read); replayed (its idempotency key
-- has an answer); known (its client_ref was used: `known` holds that message's id); again (another request of this
-- call has the same client_ref: to be asked once more); device_not_found; quota_exceeded; no_devices.
-- `wake`: the devices with new work; the other nodes hear of them as from `node`.
--
-- requests: [{version, key, key_version, count, device, later, batch, body, priority, sim, scheduled_at, expires_at,
--   guarantee, ref, idempotency_key, fingerprint, answer}], optional ones null
-- messages: [{r: number of its request from 1, id, to, body: null for the request's, segments}]
--
-- One round trip and one commit for as many requests as were waiting. A statement after a lock sees all that was
-- committed before the lock was given: hence quota, turns, references and keys are exact, over any number of nodes.
-- What few requests have is looked up for those alone: joined for all, it cost a single send 20 of 260 us.
-- Measured (CPU of Postgres a send): alone 260 us, in groups of one user's 32 some 40; a bare insert 65 and 14.
create function sms_accept(
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
  perform pg_notify('pocketsms_wake', node || ' ' || string_agg(w.id, ' '))
  from unnest(wake) with ordinality w(id, number) group by (w.number - 1) / 400;

  if with_keys then
    insert into sms_idempotency ("user", key, fingerprint, answer)
    select owner, a.idempotency_key, a.fingerprint, a.answer
    from rows from (json_to_recordset(requests) as (idempotency_key text, fingerprint text, answer text))
      with ordinality a(idempotency_key, fingerprint, answer, number)
    where a.number = any (accepted) and a.idempotency_key is not null
    on conflict ("user", key) do update
    set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
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
