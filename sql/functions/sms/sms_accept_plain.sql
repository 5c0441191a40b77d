-- Accepts plain requests of one user with the same credentials: each is one message, now, to any device,
-- without client_ref, idempotency key or batch. Most requests are like that. Stores what sms_accept would
-- store and returns the devices. Returns null and stores nothing if anything stands in the way of one of
-- them: changed credentials, no line, a line with limits or prefixes, the quota, an opted-out recipient, the
-- first message of a month. Then the caller (src/sms/send/store-offers.ts) asks sms_accept, which decides on
-- each. The first six parameters are those of sms_accept; `sender` and the arrays are columns of messages.
create or replace function sms_accept_plain(
  owner text, moment text, since text, default_quota float8, node text, sticky text,
  sender_version text, sender_key text, key_version text, sender text,
  ids text[], recipients text[], contents text[], parts float8[], ranks int[], ends text[], safeties text[],
  out wake text[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  month constant text := left(moment, 7);
  taken constant int := cardinality(ids);
  turns bigint;
  dealt int := 0;
  monthly_quota float8;
  lines text[];
  devices text[];
  numbers text[];
  are_plain boolean;
  -- numbers that have a conversation, and the line that each keeps
  talks text[];
  talk_lines text[];
  -- the place of each message's line among `lines`
  places int[] := '{}';
  place int;
  draft record;
  has_listeners boolean;
  usage_id text;
begin
  -- Lock the user's row, as sms_accept does, and take a turn for each message.
  update sms_turns t set turn = t.turn + taken, messages = t.messages + taken where t."user" = owner
  returning t.turn - taken into turns;
  if not found then
    return;
  end if;

  -- No row if the credentials have changed or a recipient has opted out.
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    a.lines, a.devices, a.numbers, a.are_plain, exists (select from _listeners)
  into monthly_quota, lines, devices, numbers, are_plain, has_listeners
  from users u cross join lateral (
    select array_agg(l.line) as lines, array_agg(l.device) as devices, array_agg(l.number) as numbers,
      bool_and(l.is_plain) as are_plain
    from (
      select v.* from sms_ranked_lines(owner, since) v where v.rank = 0 and v.is_free order by v.device collate "C", v.slot
    ) l
  ) a
  where u.id = owner and u.xmin::text = sender_version
    and (sender_key is null or exists (
      select from api_keys k where k.id = sender_key and k."user" = owner and k.xmin::text = key_version
    ))
    and not exists (select from contacts c where c."user" = owner and c.phone = any (recipients) and c.opted_out);

  -- Charge the quota.
  if found and are_plain then
    update sms_usage s set used = s.used + taken, quota = monthly_quota, updated = moment
    where s."user" = owner and s.period = month and (monthly_quota <= 0 or s.used + taken <= monthly_quota)
    returning s.id into usage_id;
  end if;
  if usage_id is null then
    -- Give the turns back.
    update sms_turns t set turn = turns, messages = t.messages - taken where t."user" = owner;
    return;
  end if;

  -- The line that the recipient exchanged the last text with, else the next one. Most recipients have no
  -- conversation. To look first costs 5 us, an UPDATE of no row 16.
  select array_agg(c.number), array_agg(case when c.last_at >= sticky and sticky <> '' then c.line end)
  into talks, talk_lines
  from conversations c where c."user" = owner and c.number = any (recipients);
  for n in 1 .. taken loop
    place := array_position(lines, talk_lines[array_position(talks, recipients[n])]);
    if place is null then
      place := 1 + (turns + dealt) % cardinality(lines);
      dealt := dealt + 1;
    end if;
    places := places || place;
    wake := case when devices[place] = any (wake) then wake else wake || devices[place] end;
  end loop;
  if dealt < taken then
    update sms_turns t set turn = turns + dealt where t."user" = owner;
  end if;

  -- Store and queue the messages.
  perform set_config('pocketsms.counted', 'yes', true);
  insert into sms_messages (
    id, status, "to", "from", body, message_type, device, line, segments, priority, sim, scheduled_at,
    expires_at, guarantee, sent_by, "user", created, updated
  )
  select ids[n], 'assigned', recipients[n], numbers[places[n]], contents[n], 'outgoing', devices[places[n]],
    lines[places[n]], parts[n], ranks[n], 0, '', ends[n], safeties[n], sender, owner, moment, moment
  from generate_series(1, taken) n;
  perform set_config('pocketsms.counted', '', true);
  insert into sms_dispatch (
    message, "user", device, line, state, period, wake_at, wakes, expires_at, priority, at_least_once
  )
  select ids[n], owner, devices[places[n]], lines[places[n]], 'assigned', month,
    moment::timestamptz + sms_wake_interval(), 1, nullif(ends[n], '')::timestamptz, ranks[n],
    safeties[n] = 'at_least_once'
  from generate_series(1, taken) n;

  -- Conversations are locked in the order of their numbers, as everywhere.
  if talks is not null then
    for draft in
      select distinct on (recipients[n] collate "C") n
      from generate_series(1, taken) n where recipients[n] = any (talks)
      order by recipients[n] collate "C", n desc
    loop
      perform sms_conversation_answered(owner, moment, recipients[draft.n], contents[draft.n], ids[draft.n]);
    end loop;
  end if;

  -- For a server of the release before: tell the other nodes which devices to wake, at most 400 ids a
  -- notification, which holds 8,000 bytes.
  if node <> '' then
    perform pg_notify('pocketsms_wake', node || ' ' || string_agg(w.id, ' '))
    from unnest(wake) with ordinality w(id, number) group by (w.number - 1) / 400;
  end if;

  -- Realtime subscribers hear of the usage.
  if has_listeners then
    insert into _changes (collection, action, record) select 'sms_usage', 'update', usage_id
    where exists (select from _listeners where 'sms_usage' <> all (ignored));
  end if;
end $$;

-- Overload for servers of the previous release, which pass no sender.
create or replace function sms_accept_plain(
  owner text, moment text, since text, default_quota float8, node text, sticky text,
  sender_version text, sender_key text, key_version text,
  ids text[], recipients text[], contents text[], parts float8[], ranks int[], ends text[], safeties text[],
  out wake text[]
) language plpgsql as $$
begin
  wake := sms_accept_plain(
    owner, moment, since, default_quota, node, sticky, sender_version, sender_key, key_version, '',
    ids, recipients, contents, parts, ranks, ends, safeties
  );
end $$;
