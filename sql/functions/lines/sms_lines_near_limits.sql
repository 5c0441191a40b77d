-- Lines of all users that have used at least `share` (0.9 for 90 %) of one of their limits in the local day
-- or month. Only lines that are enabled and present, on enabled devices. is_full: a limit is reached. Leaves
-- out `per_minute`, whose limit lasts only a minute.
--
-- Reads the counters of all lines with limits. Computes the user's local day only if a counter is near its
-- limit, to see whether the counter is of the present day or month, or outdated.
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
