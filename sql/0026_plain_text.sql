-- 0026 a text to one number, and nothing else about it, is accepted by a function of its own.
-- Why:   most requests are that. Taken from JSON and through all that any request may have it cost Postgres 195 us; this costs 107
--        (processor time of a backend, the commit included, synchronous_commit off).
-- Locks: none.

-- Accepts it and gives its device; what is stored is what sms_accept stores. Null: it is not as plain as that (a credential that has
-- changed, no device, a quota that is used up, an opted-out number, the first text of a month), nothing is stored, and sms_accept decides.
create function sms_accept_plain(
  owner text, moment text, since text, default_quota float8, node text,
  sender_version text, sender_key text, key_version text,
  message_id text, recipient text, content text, parts float8, rank int, slot int, ends_at text, safety text
) returns text language plpgsql as $$
declare
  turns bigint;
  allowed float8;
  available text[];
  chosen text;
  heard boolean;
  usage_id text;
begin
  update sms_turns t set turn = t.turn + 1, messages = t.messages + 1 where t."user" = owner returning t.turn - 1 into turns;
  if not found then return null; end if;
  select case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    array(select d.id from sms_available_devices(owner, since) d order by d.id collate "C"),
    exists (select from _listeners)
  into allowed, available, heard
  from users u where u.id = owner and u.xmin::text = sender_version
    and (sender_key is null or exists (
      select from api_keys k where k.id = sender_key and k."user" = owner and k.xmin::text = key_version
    ))
    and not exists (select from contacts c where c."user" = owner and c.phone = recipient and c.opted_out);
  if found and available <> '{}' then
    update sms_usage s set used = s.used + 1, quota = allowed, updated = moment
    where s."user" = owner and s.period = left(moment, 7) and (allowed <= 0 or s.used + 1 <= allowed)
    returning s.id into usage_id;
  end if;
  if usage_id is null then
    update sms_turns t set turn = turns, messages = t.messages - 1 where t."user" = owner;
    return null;
  end if;
  chosen := available[(1 + turns % cardinality(available))::int];
  perform set_config('pocketsms.counted', 'yes', true);
  insert into sms_messages (id, status, "to", body, message_type, device, segments, priority, sim, scheduled_at,
    expires_at, guarantee, "user", created, updated)
  values (message_id, 'assigned', recipient, content, 'outgoing', chosen, parts, rank, slot, '', ends_at, safety, owner, moment, moment);
  perform set_config('pocketsms.counted', '', true);
  insert into sms_dispatch (message, "user", device, state, period, wake_at, wakes, expires_at, priority, at_least_once)
  values (message_id, owner, chosen, 'assigned', left(moment, 7), moment::timestamptz + interval '5 seconds', 1,
    nullif(ends_at, '')::timestamptz, rank, safety = 'at_least_once');
  if node <> '' then perform pg_notify('pocketsms_wake', node || ' ' || chosen); end if;
  if heard then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', 'create', s.id, row_to_json(s.*) from sms_messages s where s.id = message_id;
    insert into _changes (collection, action, record) values ('sms_usage', 'update', usage_id);
  end if;
  return chosen;
end $$;
