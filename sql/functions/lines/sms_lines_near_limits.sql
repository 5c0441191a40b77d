-- Lines of all users that have used `share` (0.9: 90 %) of a limit of their own, in their local day or month:
-- those that are enabled and present, on enabled devices. is_full: a limit is reached. `per_minute` is left
-- out, as its limit lasts a minute only.
--
-- Reads the counters of all lines with limits. Computes the local day only where a counter is near a limit:
-- it tells whether the counter is of the present day or month, or of an earlier one and void.
create or replace function sms_lines_near_limits(share float8) returns table (
  line text, device text, "user" text, is_full boolean
) language sql stable as $$
  select n.id, n.device, n."user", n.used >= 1
  from (
    select l.id, l.device, l."user", greatest(
      case when u.day >= t.today then u.day_texts / nullif(l.daily_limit, 0) end,
      case when u.month >= left(t.today, 7) then u.month_texts / nullif(l.monthly_limit, 0) end,
      case when u.month >= left(t.today, 7) then u.recipients / nullif(l.monthly_recipients, 0) end
    ) as used
    from line_use u join lines l on l.id = u.line join devices d on d.id = l.device
    cross join lateral (select sms_local_day(l."user", now()) as today offset 0) t
    where l.enabled and l.present and d.enabled
      and u.month >= to_char(now() - interval '2 days', 'YYYY-MM')
      and (l.daily_limit > 0 and u.day_texts >= l.daily_limit * share
        or l.monthly_limit > 0 and u.month_texts >= l.monthly_limit * share
        or l.monthly_recipients > 0 and u.recipients >= l.monthly_recipients * share)
  ) n
  where n.used >= share
$$;
