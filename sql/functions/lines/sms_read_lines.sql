-- Reads the lines of a user for sms_assign, with what their limits, budgets and turns allow at a moment.
--
-- Parameters
--   owner, since, at  as in sms_assign
--   zone              the user's time zone
--   lines             null, of the type sms_line_state[]
-- Results
--   lines             the enabled lines, in the order of turns; null if there are none
--   free              places in `lines` of available lines that take turns, on devices below their own limits
--   last_turn         the latest turn of a line
--   has_limits        whether a line is limited
--   has_reserve       whether a line is a carrier that is kept for failures of phones
create or replace function sms_read_lines(
  owner text, since text, at timestamptz, zone text, inout lines anyarray, out free int[], out last_turn bigint,
  out has_limits boolean, out has_reserve boolean
) language plpgsql as $$
#variable_conflict use_column
declare
  today constant text := to_char(at at time zone zone, 'YYYY-MM-DD');
  -- the latest day that a counter may have: a changed time zone or a fast clock can put it after `today`
  latest constant text := to_char(today::date + 2, 'YYYY-MM-DD');
begin
  select array_agg(row(
      a.id, a.device, a.slot, a.number, a.prefixes, a.rank, a.is_available, a.full_until, a.is_limited, a.is_failing,
      a.can_mms, a.is_carrier, a.is_stale, a.day, a.next_day, a.next_month, a.day_room, a.month_room, a.has_recipients,
      a.recipient_room, a.prices, a.budget, a.spent, a.is_told, a.turn, 0, 0, 0, false, false
    )::sms_line_state),
    array_agg(a.place) filter (where a.rank = 0 and a.is_available and a.full_until is null),
    max(a.turn), bool_or(a.is_limited), bool_or(a.rank = 2)
  into lines, free, last_turn, has_limits, has_reserve
  from (
    select row_number() over (order by d.id collate "C", l.slot) as place, l.id, d.id as device, l.slot::int as slot, l.number, l.prefixes, coalesce(u.turn, 0) as turn,
      sms_rank_line(owner, d.id, d.platform, l.number) as rank,
      d.enabled and (d.last_seen >= since or pb_is_set(d.push)) as is_available,
      case when d.per_minute > 0 or d.daily_limit > 0
        then sms_device_room_at(d.id, d.per_minute, d.daily_limit) end as full_until,
      l.daily_limit > 0 or l.monthly_limit > 0 or l.monthly_recipients > 0 or pb_is_set(l.prices) as is_limited,
      l.failing_since <> '' and sms_is_failing(l.failing_since) or exists (
        select from smsgate_phones h where h.device = d.id and h.held_until > now()
      ) as is_failing, l.mms = 'on' as can_mms, d.platform = 'carrier' as is_carrier,
      d.last_seen < pb_text(at - interval '45 seconds') as is_stale,
      l.monthly_recipients > 0 as has_recipients, t.day,
      (t.day::date + 1)::timestamp at time zone zone as next_day,
      (date_trunc('month', t.day::timestamp) + interval '1 month') at time zone zone as next_month,
      case when l.daily_limit > 0
        then l.daily_limit - case when u.day = t.day then u.day_texts else 0 end end as day_room,
      case when l.monthly_limit > 0
        then l.monthly_limit - case when u.month = left(t.day, 7) then u.month_texts else 0 end end as month_room,
      case when l.monthly_recipients > 0
        then l.monthly_recipients - case when u.month = left(t.day, 7) then u.recipients else 0 end
      end as recipient_room,
      case when pb_is_set(l.prices) then l.prices end as prices, nullif(l.monthly_budget, '')::numeric as budget,
      coalesce(c.cost, 0) as spent, c.stopped_at is not null as is_told
    from devices d join lines l on l.device = d.id left join line_use u on u.line = l.id
    -- The day of the counters never goes back: else a change of the time zone would reset them.
    cross join lateral (select greatest(today, case when u.day <= latest then u.day end)) t(day)
    left join line_costs c on c.line = l.id and c.month = left(t.day, 7) and pb_is_set(l.prices)
    where d."user" = owner and l.enabled and l.present
    order by place
  ) a;
end $$;
