-- date() of SQLite. Dates in PocketBase's stored form are only truncated, which takes 5 µs instead of 64 µs.
create or replace function pb_day(t text) returns text language sql stable parallel safe as $$
  select case when pb_is_stored_date(t) then left(t, 10) else pb_strftime('%F', t) end
$$;

create or replace function pb_day(x double precision) returns text
language sql stable parallel safe as $$ select pb_strftime('%F', x) $$;
