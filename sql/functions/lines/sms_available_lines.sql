-- Lines of a user that can be given a message now: enabled and present, on devices that are enabled and seen
-- at or after `since` or have a push subscription. `is_free`: the device is below its own limits.
-- `is_plain`: the line has neither limits nor prefixes. Not sorted.
create or replace function sms_available_lines(owner text, since text) returns table (
  line text, device text, slot int, number text, is_free boolean, is_plain boolean
) language sql stable as $$
  select l.id, d.id, l.slot::int, l.number,
    d.per_minute <= 0 and d.daily_limit <= 0 or sms_is_below_limits(d.id, d.per_minute, d.daily_limit),
    l.daily_limit <= 0 and l.monthly_limit <= 0 and l.monthly_recipients <= 0 and l.prefixes = ''
  from devices d join lines l on l.device = d.id
  where d."user" = owner and d.enabled and (d.last_seen >= since or pb_is_set(d.push)) and l.enabled and l.present
$$;
