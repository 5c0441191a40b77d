-- Lines of a user that can be given a message now: enabled and present, on devices that are enabled and were
-- seen at or after `since` or have a push subscription. Not sorted.
--   rank      0 if the line takes turns; otherwise only messages that name it use it (sms_rank_line)
--   is_free   the device is below its own limits
--   is_plain  the line has neither limits, prices nor prefixes and is not failing
create or replace function sms_ranked_lines(owner text, since text) returns table (
  line text, device text, slot int, number text, rank int, is_free boolean, is_plain boolean
) language sql stable as $$
  select l.id, d.id, l.slot::int, l.number,
    sms_rank_line(owner, d.id, d.platform, l.number),
    d.per_minute <= 0 and d.daily_limit <= 0 or sms_is_below_limits(d.id, d.per_minute, d.daily_limit),
    l.daily_limit <= 0 and l.monthly_limit <= 0 and l.monthly_recipients <= 0 and l.prefixes = ''
      and not pb_is_set(l.prices)
      and (l.failing_since = '' or not sms_is_failing(l.failing_since))
  from devices d join lines l on l.device = d.id
  where d."user" = owner and d.enabled and (d.last_seen >= since or pb_is_set(d.push)) and l.enabled and l.present
$$;
