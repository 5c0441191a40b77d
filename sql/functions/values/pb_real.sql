-- CAST(… AS REAL, NUMERIC or DECIMAL) of SQLite. Text counts as the number that it begins with, else 0.
-- Infinity becomes the largest number, because JSON has no infinity.
create or replace function pb_real(x double precision) returns double precision
language sql immutable parallel safe as $$
  select case when abs(x) <= 1.7976931348623157e308 then x when x < 0 then -1.7976931348623157e308 when x = 'Infinity' then 1.7976931348623157e308 end
$$;

create or replace function pb_real(n bigint) returns double precision
language sql immutable parallel safe as 'select n::float8';

create or replace function pb_real(n numeric) returns double precision
language sql immutable parallel safe as 'select pb_real(pb_float(n::text))';

create or replace function pb_real(t text) returns double precision language sql immutable parallel safe as $$
  select case when t is not null then coalesce(pb_real(pb_float(substring(t collate "C"
    from '^[ \t\n\v\f\r]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)'))), 0) end
$$;

create or replace function pb_real(b boolean) returns double precision
language sql immutable parallel safe as 'select b::int::float8';

create or replace function pb_real(list text[]) returns double precision
language sql immutable parallel safe as 'select 0 * cardinality(list)::float8';

create or replace function pb_real(v json) returns double precision
language sql immutable parallel safe as 'select pb_real(pb_text(v))';
