-- A REAL of SQLite as text: always with a decimal point, with an exponent from 1e17 up and below 1e-4.
create or replace function pb_real_text(x double precision) returns text
language sql immutable parallel safe as $$
  select case
    when x = trunc(x) and abs(x) < 1e17 then x::bigint::text || '.0'
    else regexp_replace(x::text, '^(-?[0-9]+)(e|$)', '\1.0\2')
  end
$$;
