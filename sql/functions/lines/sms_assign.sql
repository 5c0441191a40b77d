-- Chooses the line (the SIM) of each text, in the order of the texts, and charges the limits and budgets of
-- the lines. Locks the user's row of sms_turns if the caller has not, so limits, budgets and turns are exact
-- on any number of servers.
--
-- Parameters
--   owner   id of the user
--   since   a pb_date: devices that were last seen at or after it count as online
--   at      now; days and months are those of the user's time zone
--   sticky  a pb_date: prefer the line that exchanged a text with the recipient since then; '' for none
--   is_new  true for texts that are being accepted: they must not overtake texts that already wait
--   is_trial  true to choose only, for an estimate: locks and changes nothing
--   texts   JSON array of objects with these members:
--             n, to, segments    identifies the text in the results; the recipient; the size, 0 for an MMS
--             device, sim, line  the device, SIM slot and line that the request names; null for none
--             lines              the lines that the API key may send by; null for all
--             priority           its priority, for the failover to carriers
--             zone               the time zone of the quiet hours for which the text waits, unless the
--                                contact has one; '' for the user's; null if the text does not wait
--             avoid              a device that must not be chosen
--             was_line, was_day, was_cost
--                                the line, day and cost that are charged now; given back when a line is
--                                found
-- Results, one row for each text
--   n, line   the text and its line
--   cost      what the text costs by this line; null for a line without prices
--             If the line is null, none was found, and these say more:
--   room_at   when a line may have room or the quiet hours end; null if there is no line for the text
--   reason    'room' or 'quiet_hours', as in sms_messages.waiting_for
--
-- A text uses a line that its request names, else one with rank 0 (sms_rank_line). Lines must be available
-- and have room. A line with prices sends only to numbers that have a price, and within its monthly budget.
-- When a text does not fit into the budget any more, the owner gets a mail, once a month.
--
-- The order of preference is: the line that exchanged the last text with the recipient, a line with the
-- longest matching prefix, a line without prefixes, any other. Failing lines, and those of phones that hold
-- texts, come last. Of equal lines, the account's setting `line_choice` may prefer the
-- cheapest. Equal lines take turns: if all available lines are equal, the user's turn decides, as in
-- sms_accept; else the line whose last turn is the oldest.
create or replace function sms_assign(
  owner text, since text, at timestamptz, sticky text, is_new boolean, texts json, is_trial boolean default false
) returns table (
  n int, line text, device text, number text, charged text, cost numeric, room_at timestamptz, reason text
)
language plpgsql as $$
#variable_conflict use_column
declare
  zone text;
  today text;
  -- the latest day that a counter may have: a changed time zone or a fast clock can put it after `today`
  latest text;
  turns bigint;
  taken bigint := 0;
  last_turn bigint;
  -- number of the user's lines; below, arrays with an element for each line, in the order of turns
  lines_count int;
  ids text[];
  line_devices text[];
  slots int[];
  numbers text[];
  all_prefixes text[];
  ranks int[];
  are_available boolean[];
  full_until timestamptz[];
  are_limited boolean[];
  are_failing boolean[];
  can_mms boolean[];
  are_carriers boolean[];
  -- for each line: whether its device was not seen for 45 s
  are_stale boolean[];
  -- for each line: the day of its counters, and when that day and its month end
  days text[];
  next_days timestamptz[];
  next_months timestamptz[];
  day_room float8[];
  month_room float8[];
  recipient_room float8[];
  has_recipient_limit boolean[];
  -- for each line: its prices, budget and costs of the month, and whether its owner was told of a used budget
  all_prices json[];
  budgets numeric[];
  spent numeric[];
  are_told boolean[];
  has_stopped boolean[];
  line_turns bigint[];
  day_more int[];
  cost_more numeric[];
  recipients_more int[];
  has_turned boolean[];
  has_waiting boolean := false;
  -- indexes of available lines that take turns, on devices below their own limits
  free int[];
  settings record;
  phones_down_at timestamptz;
  -- the text whose line is being chosen
  asked record;
  sticky_line text;
  best int;
  best_score int;
  equals int;
  score int;
  price numeric;
  best_price numeric;
  until timestamptz;
  soonest timestamptz;
  is_added boolean;
begin
  if is_trial then
    turns := coalesce((select t.turn from sms_turns t where t."user" = owner), 0);
  else
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;
  if turns is null then
    insert into sms_turns ("user") values (owner) on conflict do nothing;
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;
  zone := sms_time_zone(owner);
  today := to_char(at at time zone zone, 'YYYY-MM-DD');
  latest := to_char(today::date + 2, 'YYYY-MM-DD');

  select count(*), array_agg(a.id), array_agg(a.device), array_agg(a.slot), array_agg(a.number),
    array_agg(a.prefixes), array_agg(a.rank), array_agg(a.is_available), array_agg(a.full_until), array_agg(a.is_limited),
    array_agg(a.is_failing), array_agg(a.can_mms), array_agg(a.is_carrier), array_agg(a.is_stale), array_agg(a.day), array_agg(a.next_day), array_agg(a.next_month),
    array_agg(a.day_room), array_agg(a.month_room), array_agg(a.recipient_room), array_agg(a.has_recipients),
    array_agg(a.prices), array_agg(a.budget), array_agg(a.spent), array_agg(a.is_told), array_agg(false),
    array_agg(a.turn), array_agg(0), array_agg(0), array_agg(0::numeric), array_agg(false),
    array_agg(a.place) filter (where a.rank = 0 and a.is_available and a.full_until is null)
  into lines_count, ids, line_devices, slots, numbers, all_prefixes, ranks, are_available, full_until, are_limited,
    are_failing, can_mms, are_carriers, are_stale, days, next_days, next_months, day_room, month_room, recipient_room, has_recipient_limit,
    all_prices, budgets, spent, are_told, has_stopped, line_turns, day_more, recipients_more, cost_more, has_turned, free
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
  select s.quiet_from, s.quiet_to, s.quiet_days, s.line_choice, s.failover_minutes, s.failover_priority into settings
  from user_settings s where s."user" = owner;
  if 2 = any (ranks) then
    phones_down_at := least(sms_phones_down_at(owner, settings.failover_minutes), at + interval '1 minute');
  end if;
  select max(t) into last_turn from unnest(line_turns) t;
  if is_new and true = any (are_limited) then
    -- Is a message due by the later of two clocks: the server's, from which `at` comes, and the database's?
    has_waiting := exists (
      select from sms_dispatch d
      where d."user" = owner and d.state = 'pending' and d.waiting_for <> '' and d.due_at <= greatest(at, clock_timestamp())
    );
  end if;

  for asked in
    select * from json_to_recordset(texts) t(
      n int, "to" text, segments numeric, priority int, device text, sim int, line text, lines text[], zone text, avoid text,
      was_line text, was_day text, was_cost numeric
    )
  loop
    if asked.zone is not null and settings.quiet_from <> '' then
      until := sms_quiet_until(settings.quiet_from, settings.quiet_to, settings.quiet_days, coalesce((
        select nullif(pb_known_zone(c.time_zone), '') from contacts c where c."user" = owner and c.phone = asked."to"
      ), nullif(pb_known_zone(asked.zone), ''), zone), at);
      if until is not null then
        n := asked.n;
        line := null;
        device := null;
        number := null;
        charged := '';
        cost := null;
        room_at := until;
        reason := 'quiet_hours';
        return next;
        continue;
      end if;
    end if;
    sticky_line := null;
    if sticky <> '' then
      select c.line into sticky_line from conversations c
      where c."user" = owner and c.number = asked."to" and c.last_at >= sticky;
    end if;
    best := 0;
    best_score := -2000;
    equals := 0;
    soonest := null;
    for i in 1 .. coalesce(lines_count, 0) loop
      continue when asked.device is not null and line_devices[i] <> asked.device
        or asked.line is not null and ids[i] <> asked.line
        or ids[i] <> all (asked.lines)
        or asked.sim > 0 and slots[i] <> asked.sim and slots[i] <> 0
        or asked.avoid = line_devices[i]
        or asked.segments = 0 and not can_mms[i]
        or ranks[i] is null and asked.device is null
        or ranks[i] = 1 and asked.line is null and coalesce(asked.sim, 0) = 0 and (asked.device is null or exists (
          select from lines o where o.device = asked.device and o.enabled and o.present and o.number ~ '^\+?[0-9]*$'
        ))
        or not are_available[i] and (is_new or asked.device is null);
      -- Texts that name a slot never go to carriers by failover. Others wait until the phones count as down.
      if are_carriers[i] and settings.failover_minutes > 0 and coalesce(asked.device, asked.line) is null then
        continue when asked.sim > 0;
        if ranks[i] = 2 and not coalesce(asked.priority >= nullif(settings.failover_priority, 0), false) then
          soonest := least(soonest, phones_down_at);
          continue;
        end if;
      end if;
      price := null;
      if all_prices[i] is not null then
        price := sms_price(all_prices[i], asked."to", asked.segments);
        continue when price is null;
      end if;
      until := full_until[i];
      if are_limited[i] then
        if month_room[i] < 1 then
          until := greatest(until, next_months[i]);
        elsif day_room[i] < 1 then
          until := greatest(until, next_days[i]);
        elsif has_waiting then
          until := greatest(until, at);
        end if;
        if has_recipient_limit[i] and recipient_room[i] < 1 and not exists (
          select from line_recipients r
          where r.line = ids[i] and r.month = left(days[i], 7) and r.number = asked."to"
        ) then
          until := greatest(until, next_months[i]);
        end if;
      end if;
      if spent[i] + cost_more[i] + price > budgets[i] then
        until := greatest(until, next_months[i]);
        has_stopped[i] := true;
      end if;
      if until is not null then
        soonest := least(soonest, until);
        continue;
      end if;
      score := case
        when ids[i] = sticky_line then 100
        when all_prefixes[i] = '' then 0
        else coalesce((
          select max(length(p)) from unnest(string_to_array(all_prefixes[i], ',')) p
          where starts_with(asked."to", p)
        ), -1)
      end - case when are_failing[i] then 1000 else 0 end - case
        when ranks[i] = 2 then 500
        -- a text that a phone did not take goes to a carrier rather than to another silent phone
        when are_stale[i] and asked.avoid is not null and settings.failover_minutes > 0 and not are_carriers[i] then 600
        else 0 end;
      price := case when settings.line_choice = 'cheapest' then coalesce(price, 0) else 0 end;
      if score > best_score or score = best_score and price < best_price then
        best := i;
        best_score := score;
        best_price := price;
        equals := 1;
      elsif score = best_score and price = best_price then
        equals := equals + 1;
        if line_turns[i] < line_turns[best] then
          best := i;
        end if;
      end if;
    end loop;

    n := asked.n;
    line := null;
    device := null;
    number := null;
    charged := '';
    cost := null;
    room_at := soonest;
    reason := case when soonest is null then '' else 'room' end;
    if best > 0 then
      if asked.line is null and best_score < 100 then
        if asked.device is null and ranks[best] = 0 and equals = cardinality(free) then
          -- all are equal: the user's turn says which is next
          best := free[(1 + (turns + taken) % equals)::int];
          taken := taken + 1;
        elsif equals > 1 then
          last_turn := last_turn + 1;
          line_turns[best] := last_turn;
          has_turned[best] := true;
        end if;
      end if;
      line := ids[best];
      device := line_devices[best];
      number := numbers[best];
      room_at := null;
      reason := '';
      if are_limited[best] then
        charged := days[best];
        day_more[best] := day_more[best] + 1;
        day_room[best] := day_room[best] - 1;
        month_room[best] := month_room[best] - 1;
        cost := sms_price(all_prices[best], asked."to", asked.segments);
        cost_more[best] := cost_more[best] + coalesce(cost, 0);
        if has_recipient_limit[best] and not is_trial then
          insert into line_recipients as r (line, month, number, texts)
          values (ids[best], left(days[best], 7), asked."to", 1)
          on conflict on constraint line_recipients_pkey do update set texts = r.texts + 1
          returning r.xmax = 0 into is_added;
          if is_added then
            recipient_room[best] := recipient_room[best] - 1;
            recipients_more[best] := recipients_more[best] + 1;
          end if;
        end if;
      end if;
      if asked.was_day <> '' then
        perform sms_line_refund(asked.was_line, asked.was_day, asked."to", asked.was_cost, owner);
      end if;
    end if;
    return next;
  end loop;

  if is_trial then
    return;
  end if;
  if taken > 0 then
    update sms_turns t set turn = t.turn + taken where t."user" = owner;
  end if;
  for i in 1 .. coalesce(lines_count, 0) loop
    if day_more[i] > 0 or has_turned[i] then
      insert into line_use as u (line, day, day_texts, month, month_texts, recipients, turn)
      values (ids[i], days[i], day_more[i], left(days[i], 7), day_more[i], recipients_more[i], line_turns[i])
      on conflict on constraint line_use_pkey do update set
        day = days[i], day_texts = case when u.day = days[i] then u.day_texts else 0 end + day_more[i],
        month = left(days[i], 7),
        month_texts = case when u.month = left(days[i], 7) then u.month_texts else 0 end + day_more[i],
        recipients = case when u.month = left(days[i], 7) then u.recipients else 0 end + recipients_more[i],
        turn = line_turns[i];
    end if;
    if all_prices[i] is not null and (day_more[i] > 0 or has_stopped[i]) then
      insert into line_costs as c (line, month, "user", texts, cost, stopped_at)
      values (ids[i], left(days[i], 7), owner, day_more[i], cost_more[i], case when has_stopped[i] then at end)
      on conflict on constraint line_costs_pkey do update set texts = c.texts + excluded.texts,
        cost = c.cost + excluded.cost, stopped_at = coalesce(c.stopped_at, excluded.stopped_at);
    end if;
    if has_stopped[i] and not are_told[i] then
      insert into _jobs (kind, holder, key, payload)
      select 'alarm_mail', owner, gen_random_uuid(), json_build_array(json_build_object(
        'name', coalesce(nullif(l.label, ''), alarms_name(d.name, d.phone, d.id)), 'waiting', 0, 'budget', concat_ws(
          ' ', l.monthly_budget, (select nullif(s.currency, '') from user_settings s where s."user" = owner))))
      from lines l join devices d on d.id = l.device where l.id = ids[i];
    end if;
  end loop;
end $$;
