-- Lines of all users that have used at least `share` (0.9 for 90 %) of one of their limits in the local day
-- or month, or of their budget. Only lines that are enabled and present, on enabled devices. is_full: a limit
-- is reached, or the budget was too small for a text. Leaves
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
      case when u.month >= left(t.today, 7) then u.recipients / nullif(l.monthly_recipients, 0) end,
      (select case when c.stopped_at is null then c.cost / nullif(b.budget, 0) else 1 end
        from line_costs c where c.line = l.id and c.month >= left(t.today, 7) order by c.month limit 1)
    ) as used
    from line_use u join lines l on l.id = u.line join devices d on d.id = l.device
    cross join lateral (select sms_local_day(l."user", now()) as today offset 0) t
    cross join lateral (select nullif(l.monthly_budget, '')::numeric) b(budget)
    where l.enabled and l.present and d.enabled
      and u.month >= to_char(now() - interval '2 days', 'YYYY-MM')
      and (l.daily_limit > 0 and u.day_texts >= l.daily_limit * share
        or l.monthly_limit > 0 and u.month_texts >= l.monthly_limit * share
        or l.monthly_recipients > 0 and u.recipients >= l.monthly_recipients * share
        or b.budget is not null and exists (
          select from line_costs c
          where c.line = l.id and c.month >= to_char(now() - interval '2 days', 'YYYY-MM')
            and (c.stopped_at is not null or c.cost >= b.budget * share::numeric)))
  ) n
  where n.used >= share
$$;
