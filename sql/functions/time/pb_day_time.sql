-- datetime() of SQLite. Dates in PocketBase's stored form are only truncated.
create or replace function pb_day_time(t text) returns text language sql stable parallel safe as $$
  select case when pb_is_stored_date(t) then left(t, 19) else pb_strftime('%F %T', t) end
$$;

create or replace function pb_day_time(x double precision) returns text
language sql stable parallel safe as $$ select pb_strftime('%F %T', x) $$;
