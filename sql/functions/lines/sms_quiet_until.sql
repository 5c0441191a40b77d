-- The end of the quiet hours in which `at` lies; null if it lies in none. `starts` and `ends` are local times
-- ('HH:MM') in `zone`. If `ends` is before `starts`, they end on the next day. `days`: the days on which they
-- start ('mon' …); empty for all.
create or replace function sms_quiet_until(starts text, ends text, days text[], zone text, at timestamptz)
returns timestamptz language sql stable as $$
  select (day + ends::time + case when starts < ends then interval '0' else interval '1 day' end) at time zone zone
  from (select at at time zone zone as local) l
  cross join lateral (values (l.local::date), (l.local::date - 1)) d(day)
  where starts <> '' and ends <> '' and starts <> ends
    and (days = '{}' or (array['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'])[1 + extract(dow from day)::int] = any (days))
    and l.local >= day + starts::time
    and l.local < day + ends::time + case when starts < ends then interval '0' else interval '1 day' end
  limit 1
$$;
