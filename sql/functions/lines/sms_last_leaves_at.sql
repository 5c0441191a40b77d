-- Estimates when the last of `more` new texts of a user can leave, after the texts that already wait. Assumes
-- that each goes to another recipient, and that only the limits of lines delay texts. `of_device`, `of_line`:
-- the only device or line to use; '' for all lines that take turns. Null if no such line is enabled. Looks at
-- most ten years ahead.
create or replace function sms_last_leaves_at(
  owner text, at timestamptz, more int, of_device text, of_line text
) returns timestamptz language plpgsql stable as $$
declare
  zone constant text := sms_time_zone(owner);
  first_day constant date := (at at time zone zone)::date;
  texts float8;
  daily float8[];
  monthly float8[];
  people float8[];
  day_left float8[];
  month_left float8[];
  people_left float8[];
  room float8;
  today date;
begin
  select array_agg(coalesce(nullif(l.daily_limit, 0), 'infinity')),
    array_agg(coalesce(nullif(l.monthly_limit, 0), 'infinity')),
    array_agg(coalesce(nullif(l.monthly_recipients, 0), 'infinity')),
    array_agg(case when u.day >= first_day::text then u.day_texts else 0 end),
    array_agg(case when u.month >= left(first_day::text, 7) then u.month_texts else 0 end),
    array_agg(case when u.month >= left(first_day::text, 7) then u.recipients else 0 end)
  into daily, monthly, people, day_left, month_left, people_left
  from devices d join lines l on l.device = d.id left join line_use u on u.line = l.id
  where d."user" = owner and d.enabled and l.enabled and l.present
    and (of_device = '' or d.id = of_device) and (of_line = '' or l.id = of_line)
    and (of_device <> '' or of_line <> '' or sms_rank_line(owner, d.id, d.platform, l.number) = 0);
  if daily is null then
    return null;
  end if;
  select more + count(*) into texts from sms_dispatch d
  where d."user" = owner and d.state = 'pending' and d.waiting_for <> ''
    and (of_device = '' or d.device = of_device) and (of_line = '' or d.line = of_line);
  for i in 1 .. cardinality(daily) loop
    day_left[i] := daily[i] - day_left[i];
    month_left[i] := monthly[i] - month_left[i];
    people_left[i] := people[i] - people_left[i];
  end loop;
  for day in 0 .. 3652 loop
    today := first_day + day;
    for i in 1 .. cardinality(daily) loop
      if day > 0 then
        day_left[i] := daily[i];
      end if;
      if day > 0 and extract(day from today) = 1 then
        month_left[i] := monthly[i];
        people_left[i] := people[i];
      end if;
      room := greatest(0, least(day_left[i], month_left[i], people_left[i]));
      texts := texts - room;
      month_left[i] := month_left[i] - room;
      people_left[i] := people_left[i] - room;
    end loop;
    if texts <= 0 then
      return case when day = 0 then at else today::timestamp at time zone zone end;
    end if;
  end loop;
  return (first_day + 3653)::timestamp at time zone zone;
end $$;
