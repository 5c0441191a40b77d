-- A number column as text. SQLite stores whole numbers as INTEGER, so they have no decimal point.
create or replace function pb_number_text(x double precision) returns text
language sql immutable parallel safe as $$
  select case when x = trunc(x) and abs(x) < 9.2e18 then x::bigint::text else pb_real_text(x) end
$$;
