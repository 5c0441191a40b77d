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
--   requests       JSON array of {version, key, key_version, count, device, later, batch, body, priority,
--                  sim, scheduled_at, expires_at, guarantee, ref, bulk, idempotency_key, fingerprint,
--                  answer}; optional values are null
--   messages       JSON array of {r, id, to, body, segments}; r is the number of its request, from 1; body is
--                  null if the message has the body of its request
-- Results, the first two with one element per request
--   outcomes       accepted
--                  stale             the user or the API key has changed since the request read it
--                  replayed          its idempotency key has an answer already
--                  known             a message with this client_ref exists; `known` has its id
--                  again             an earlier request of this call has the same client_ref: to be retried
--                  device_not_found, quota_exceeded, no_devices
--   known          id of the existing message, else ''
--   wake           devices with new messages; null if there are none
--
-- The call locks the user's row of sms_turns first. Each statement after that sees everything committed
-- before the lock was granted, so quota, turns, references and idempotency keys are exact on any number of
-- nodes. The whole call is one round trip and one commit. Measured, in CPU of Postgres a message: 260 us
-- alone, 40 us in groups of 32. Lookups that few requests need (API key, idempotency key, client_ref, device)
-- run only for those requests: as joins they cost a single message 20 us.
--
-- The setting pocketsms.counted tells the trigger sms_messages_came that this function counts the messages.
-- It is set around the INSERT: only a superuser could create a function with a SET clause for it.
create or replace function sms_accept(
  owner text, moment text, since text, default_quota float8, node text, requests json, messages json,
  out outcomes text[], out known text[], out wake text[]
) language plpgsql as $$
declare
  month constant text := left(moment, 7);
  is_single constant boolean := json_array_length(requests) = 1 and json_array_length(messages) = 1;
  -- the user
  user_version text;
  monthly_quota float8;
  used float8;
  turns bigint;
  available text[];
  -- ids of messages to contacts that have opted out: these are stored as failed and cost nothing
  opted_out text[];
  -- what the accepted requests need together
  accepted bigint[] := '{}';
  refs text[] := '{}';
  stored bigint := 0;
  spent float8 := 0;
  dealt bigint := 0;
  has_idempotency boolean := false;
  -- the requests whose text changes the conversation with its number
  spoken bigint[] := '{}';
  talk record;
  -- the request at hand
  request record;
  outcome text;
  cost int;
  live_key text;
  first_message text;
  -- the message of a single request
  single json;
  single_status text;
  single_device text;
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

  -- Read what all requests need: quota, usage of this month, available devices, opted-out recipients.
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    u.xmin::text,
    coalesce(s.used, 0),
    array(select d.id from sms_available_devices(owner, since) d order by d.id collate "C"),
    array(
      select m.id from json_to_recordset(messages) m(id text, "to" text)
      join contacts c on c."user" = owner and c.phone = m."to" and c.opted_out
    )
  into monthly_quota, user_version, used, available, opted_out
  from users u left join sms_usage s on s."user" = u.id and s.period = month
  where u.id = owner;
  if not found then
    -- The user was deleted. All requests are stale; remove the row that the lock may have inserted.
    delete from sms_turns t where t."user" = owner;
  end if;

  -- Decide on each request, in order.
  for request in
    select a.* from rows from (json_to_recordset(requests) as (
      version text, key text, key_version text, count int, device text, later boolean, ref text,
      idempotency_key text, batch text, body text, priority int, sim int, scheduled_at text, expires_at text,
      guarantee text, bulk boolean
    )) with ordinality a(
      version, key, key_version, count, device, later, ref,
      idempotency_key, batch, body, priority, sim, scheduled_at, expires_at,
      guarantee, bulk, number
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

    -- Does the requested device exist?
    if request.device is not null and outcome = 'accepted' then
      perform from devices d where d.id = request.device and d."user" = owner;
      if not found then
        outcome := 'device_not_found';
      end if;
    end if;

    -- Is there quota, and a device that can send now? A scheduled message needs no device yet.
    if outcome = 'accepted' and cost > 0 then
      outcome := case
        when monthly_quota > 0 and used + spent + cost > monthly_quota then 'quota_exceeded'
        when request.later then outcome
        when request.device = any (available) then outcome
        when request.device is null and available <> '{}' then outcome
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
      if cost = 1 and request.count = 1 and request.bulk = false then
        spoken := spoken || request.number;
      end if;
    end if;
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
  update sms_turns t set turn = turns + dealt, messages = t.messages + stored where t."user" = owner;

  -- Store and queue the messages. Devices take turns: the n-th message without a requested device goes to
  -- available device number turns + n. A single message has statements of its own: starting the large
  -- statement takes 70 us.
  perform set_config('pocketsms.counted', 'yes', true);
  if is_single then
    single := messages -> 0;
    single_status := case when opted_out <> '{}' then 'failed' when request.later then 'pending' else 'assigned' end;
    single_device := case
      when single_status = 'failed' then ''
      when request.device is not null then request.device
      when single_status = 'pending' then ''
      else available[(1 + turns % cardinality(available))::int]
    end;
    insert into sms_messages (
      id, status, "to", body, message_type, device, batch_id,
      segments, priority, sim, scheduled_at, expires_at,
      guarantee, client_ref, error_message, "user", created, updated
    ) values (
      single ->> 'id', single_status, single ->> 'to', coalesce(single ->> 'body', request.body), 'outgoing',
      single_device, coalesce(request.batch, ''),
      (single ->> 'segments')::float8, request.priority, request.sim, coalesce(request.scheduled_at, ''),
      coalesce(request.expires_at, ''),
      request.guarantee, coalesce(request.ref, ''),
      case single_status when 'failed' then 'Recipient has opted out' else '' end, owner, moment, moment
    );
    if single_status <> 'failed' then
      insert into sms_dispatch (
        message, "user", device, pinned, state, period,
        wake_at,
        wakes, due_at, expires_at,
        priority, at_least_once
      ) values (
        single ->> 'id', owner, single_device, request.device is not null, single_status, month,
        case single_status when 'assigned' then moment::timestamptz + sms_wake_interval() end,
        (single_status = 'assigned')::int, request.scheduled_at::timestamptz, request.expires_at::timestamptz,
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
        m.number, m.id, m."to", coalesce(m.body, a.body) as body, m.segments,
        a.device, a.batch, a.priority, a.sim, a.scheduled_at, a.expires_at, a.guarantee, a.ref,
        case when m.id = any (opted_out) then 'failed' when a.later then 'pending' else 'assigned' end as status
      from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, body text, segments float8))
        with ordinality m(r, id, "to", body, segments, number)
      join rows from (json_to_recordset(requests) as (
        device text, later boolean, batch text, body text, priority int, sim int, scheduled_at text, expires_at text,
        guarantee text, ref text
      )) with ordinality a(
        device, later, batch, body, priority, sim, scheduled_at, expires_at,
        guarantee, ref, number
      ) on a.number = m.r
      where m.r = any (accepted)
    ), ready as (
      -- with their devices
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
      insert into sms_messages (
        id, status, "to", body, message_type, device, batch_id,
        segments, priority, sim, scheduled_at, expires_at,
        guarantee, client_ref, error_message,
        "user", created, updated
      )
      select
        n.id, n.status, n."to", n.body, 'outgoing', n.given_to, coalesce(n.batch, ''),
        n.segments, n.priority, n.sim, coalesce(n.scheduled_at, ''), coalesce(n.expires_at, ''),
        n.guarantee, coalesce(n.ref, ''), case n.status when 'failed' then 'Recipient has opted out' else '' end,
        owner, moment, moment
      from ready n order by n.number
    ), queued as (
      insert into sms_dispatch (
        message, "user", device, pinned, state, period,
        wake_at,
        wakes, due_at, expires_at,
        priority, at_least_once
      )
      select
        n.id, owner, n.given_to, n.device is not null, n.status, month,
        case n.status when 'assigned' then moment::timestamptz + sms_wake_interval() end,
        (n.status = 'assigned')::int, n.scheduled_at::timestamptz, n.expires_at::timestamptz,
        n.priority, n.guarantee = 'at_least_once'
      from ready n where n.status <> 'failed' order by n.number
      returning device, state
    )
    select array_agg(distinct q.device) into wake from queued q where q.state = 'assigned';
  end if;
  perform set_config('pocketsms.counted', '', true);

  -- A text to one number is the last word of the conversation with it, if there is one. Conversations are
  -- locked in the order of their numbers, after the user's row, as everywhere. A row is looked for by each
  -- number (a subquery, so no plan can read all conversations of the user).
  -- `to_regclass`: the table is missing while the first server of this version starts beside older ones.
  if spoken <> '{}' and to_regclass('conversations') is not null then
    for talk in
      select distinct on (m."to" collate "C") m."to", coalesce(m.body, a.body) as body, m.id
      from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, body text))
        with ordinality m(r, id, "to", body, number)
      join rows from (json_to_recordset(requests) as (body text)) with ordinality a(body, number) on a.number = m.r
      where m.r = any (spoken)
        and (select c.id from conversations c where c."user" = owner and c.number = m."to") is not null
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

  -- Webhooks hear of messages that have failed because the recipient has opted out.
  if opted_out <> '{}' then
    insert into webhook_dispatch (delivery, webhook, "user", event_id, event, message)
    select pb_new_id(), w.id, owner, m.event_id, 'message.failed', m.id
    from (
      select a.id, pb_new_id() as event_id from json_to_recordset(messages) a(r bigint, id text)
      where a.r = any (accepted) and a.id = any (opted_out)
    ) m join webhooks w on w."user" = owner and w.enabled and 'message.failed' = any (w.events);
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
