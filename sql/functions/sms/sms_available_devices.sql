-- Devices of a user that can be given a message now: enabled, seen at or after `since` or with a push
-- subscription, below their limits, and with an enabled line. Not sorted.
create or replace function sms_available_devices(owner text, since text) returns table (id text)
language sql stable as $$
  select d.id from devices d
  where d."user" = owner and d.enabled and (d.last_seen >= since or pb_is_set(d.push))
    and (d.per_minute <= 0 and d.daily_limit <= 0 or sms_is_below_limits(d.id, d.per_minute, d.daily_limit))
    and exists (select from lines l where l.device = d.id and l.enabled and l.present)
$$;
