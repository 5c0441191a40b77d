-- 0017 SQLite's casts and functions, for the queries of views (src/collections/translate-calls.ts).
-- A text is as much as the number that it begins with, 0 without one; an INTEGER has 64 bits and stops at their ends.

-- Too small to be told from 0 is 0; before, it was infinite.
create or replace function pb_float(t text) returns double precision language plpgsql immutable strict parallel safe as $$
begin
  return t::double precision;
exception when numeric_value_out_of_range then
  begin
    if abs(t::numeric) < 1 then return 0; end if;
  exception when others then
    if t ~* 'e-' then return 0; end if;
  end;
  return case when t ~ '^\s*-' then '-Infinity'::float8 else 'Infinity'::float8 end;
when others then
  return null;
end $$;

-- A value as SQLite keeps it, as text: whole numbers without a point, bools as 0 and 1, lists as JSON.
create function pb_text(t text) returns text language sql immutable parallel safe as 'select t';
create function pb_text(x double precision) returns text language sql immutable parallel safe as 'select pb_number_text(x)';
create function pb_text(n bigint) returns text language sql immutable parallel safe as 'select n::text';
create function pb_text(n numeric) returns text language sql immutable parallel safe as $$
  select case when scale(n) > 0 or abs(n) > 9223372036854775807 then pb_real_text(n::float8) else n::text end
$$;
create function pb_text(b boolean) returns text language sql immutable parallel safe as 'select b::int::text';
create function pb_text(list text[]) returns text language sql stable parallel safe as 'select array_to_json(list)::text';
create function pb_text(v json) returns text language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_json_text(v) else v::text end
$$;
create function pb_text(v anyelement) returns text language sql stable parallel safe as 'select v::text';

-- CAST(… AS REAL), NUMERIC and DECIMAL. Infinite is the greatest number: JSON has none beyond.
create function pb_real(x double precision) returns double precision language sql immutable parallel safe as $$
  select case when abs(x) <= 1.7976931348623157e308 then x when x < 0 then -1.7976931348623157e308 when x = 'Infinity' then 1.7976931348623157e308 end
$$;
create function pb_real(n bigint) returns double precision language sql immutable parallel safe as 'select n::float8';
create function pb_real(n numeric) returns double precision language sql immutable parallel safe as 'select pb_real(pb_float(n::text))';
create function pb_real(t text) returns double precision language sql immutable parallel safe as $$
  select case when t is not null then coalesce(pb_real(pb_float(substring(t collate "C"
    from '^[ \t\n\v\f\r]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)'))), 0) end
$$;
create function pb_real(b boolean) returns double precision language sql immutable parallel safe as 'select b::int::float8';
create function pb_real(list text[]) returns double precision language sql immutable parallel safe as 'select 0 * cardinality(list)::float8';
create function pb_real(v json) returns double precision language sql immutable parallel safe as 'select pb_real(pb_text(v))';

-- CAST(… AS INTEGER): cut off, not rounded.
create function pb_integer(x double precision) returns bigint language sql immutable parallel safe as $$
  select case when x >= 9223372036854775807 then 9223372036854775807 when x <= -9223372036854775808 then -9223372036854775808
    else trunc(nullif(x, 'NaN'))::bigint end
$$;
create function pb_integer(n bigint) returns bigint language sql immutable parallel safe as 'select n';
create function pb_integer(n numeric) returns bigint language sql immutable parallel safe as $$
  select trunc(least(greatest(n, -9223372036854775808), 9223372036854775807))::bigint
$$;
create function pb_integer(t text) returns bigint language sql immutable parallel safe as $$
  select least(greatest((coalesce(p[1], '') || '0' || left(p[2], 20))::numeric, -9223372036854775808), 9223372036854775807)::bigint
  from (select regexp_match(t collate "C", '^[ \t\n\v\f\r]*([-+]?)0*([0-9]*)') p) parts where t is not null
$$;
create function pb_integer(b boolean) returns bigint language sql immutable parallel safe as 'select b::int::bigint';
create function pb_integer(list text[]) returns bigint language sql immutable parallel safe as 'select 0 * cardinality(list)::bigint';
create function pb_integer(v json) returns bigint language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_integer(pb_float(v::text)) else pb_integer(v::text) end
$$;

-- CAST(… AS BOOL): 1 is true, any other number is not.
create function pb_bool(b boolean) returns boolean language sql immutable parallel safe as 'select b';
create function pb_bool(x double precision) returns boolean language sql immutable parallel safe as 'select x = 1';
create function pb_bool(t text) returns boolean language sql immutable parallel safe as 'select pb_real(t) = 1';
create function pb_bool(list text[]) returns boolean language sql immutable parallel safe as 'select list is null and null';
create function pb_bool(v json) returns boolean language sql immutable parallel safe as 'select pb_real(v) = 1';

-- What stands for a condition: any number but 0.
create function pb_truth(b boolean) returns boolean language sql immutable parallel safe as 'select b';
create function pb_truth(x double precision) returns boolean language sql immutable parallel safe as 'select x <> 0';
create function pb_truth(t text) returns boolean language sql immutable parallel safe as 'select pb_real(t) <> 0';

-- `flag = 1`, `a % b` of number columns, `sum(flag)`: Postgres has no such operators of its own.
create function pb_equal(b boolean, n int) returns boolean language sql immutable parallel safe as 'select b::int = n';
create function pb_differ(b boolean, n int) returns boolean language sql immutable parallel safe as 'select b::int <> n';
create operator = (leftarg = boolean, rightarg = int, function = pb_equal, negator = <>);
create operator <> (leftarg = boolean, rightarg = int, function = pb_differ, negator = =);
create function pb_modulo(x double precision, y double precision) returns double precision language sql immutable parallel safe as $$
  select (pb_integer(x) % nullif(pb_integer(y), 0))::float8
$$;
create operator % (leftarg = double precision, rightarg = double precision, function = pb_modulo);
create function pb_count_true(n bigint, b boolean) returns bigint language sql immutable parallel safe as $$
  select coalesce(n + b::int, n, b::int)
$$;
create aggregate sum(boolean) (sfunc = pb_count_true, stype = bigint);
create function pb_total_true(x double precision, b boolean) returns double precision language sql immutable parallel safe as $$
  select x + coalesce(b::int, 0)
$$;
create aggregate total(boolean) (sfunc = pb_total_true, stype = double precision, initcond = '0');

-- substr(): a place before the first counts from the end; 0 is the place before it; a negative length goes to the left.
create function pb_substr(t text, place bigint) returns text language sql immutable parallel safe as $$
  select substr(t, greatest(case when place < 0 then length(t) + 1 + place else place end, 1)::int)
$$;
create function pb_substr(t text, place bigint, size bigint) returns text language sql immutable parallel safe as $$
  select substr(t, greatest(first, 1)::int, greatest(least(last, length(t) + 1) - greatest(first, 1), 0)::int)
  from (select least(start, start + size) as first, greatest(start, start + size) as last
    from (select case when place < 0 then length(t) + 1 + place else place + (place = 0 and size < 0)::int end as start) s) range
$$;
create function pb_substr(v anyelement, place bigint) returns text language sql stable parallel safe as 'select pb_substr(pb_text(v), place)';
create function pb_substr(v anyelement, place bigint, size bigint) returns text language sql stable parallel safe as
  'select pb_substr(pb_text(v), place, size)';

create function pb_length(t text) returns int language sql immutable parallel safe as 'select length(t)';
create function pb_length(v anyelement) returns int language sql stable parallel safe as 'select length(pb_text(v))';

-- round(): of the number as it is in binary, halves away from 0. |x| is counted in units of 2^-120, which loses nothing that matters.
create function pb_round(x double precision, places bigint default 0) returns double precision
language plpgsql immutable strict parallel safe as $$
declare
  n int := least(greatest(places, 0), 30);
  rest float8 := abs(x) - trunc(abs(x));
  high bigint;
  units numeric;
begin
  if abs(x) >= 4503599627370496 or x = 'NaN' then return x; end if;
  if n = 0 then return trunc(x + sign(x) * 0.5); end if;
  high := trunc(rest * 1152921504606846976);
  units := (trunc(abs(x))::bigint::numeric * 1152921504606846976 + high) * 1152921504606846976
    + trunc((rest * 1152921504606846976 - high) * 1152921504606846976)::bigint;
  units := div(units * 2 * ('1e' || n)::numeric + 1329227995784915872903807060280344576, 2658455991569831745807614120560689152);
  return sign(x) * (units::text || 'e-' || n)::float8;
end $$;
create function pb_round(t text, places bigint default 0) returns double precision language sql immutable parallel safe as
  'select pb_round(pb_real(t), places)';

create function instr(t text, part text) returns int language sql immutable parallel safe as 'select strpos(t, part)';

-- json_extract() of one path. What it finds is shown as JSON again, as any column that is none of a collection's own.
create function json_extract(v json, path text) returns text language sql immutable parallel safe as $$
  select case when path like '$%' then pb_json_text(v #> array(select coalesce(m[1], m[2], m[3])
    from regexp_matches(path, '\."([^"]*)"|\.([^."[]+)|\[([0-9]+)\]', 'g') m)) end
$$;
create function json_extract(t text, path text) returns text language sql immutable parallel safe as 'select json_extract(t::json, path)';
create function json_array_length(list text[]) returns int language sql immutable parallel safe as 'select cardinality(list)';

-- Dates. A stored one, whole and of a day that its month has, is cut out of its text: 5 µs, where strftime takes 64.
create function pb_is_stored_date(t text) returns boolean language sql immutable parallel safe as $$
  select t collate "C" ~ '^[0-9]{4}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31) ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$'
$$;
create function pb_strftime(format text, value double precision, variadic modifiers text[] default '{}') returns text
language sql stable parallel safe as 'select pb_strftime(format, value::text, variadic modifiers)';
create function pb_day(t text) returns text language sql stable parallel safe as $$
  select case when pb_is_stored_date(t) then left(t, 10) else pb_strftime('%F', t) end
$$;
create function pb_day(x double precision) returns text language sql stable parallel safe as $$ select pb_strftime('%F', x) $$;
create function pb_day_time(t text) returns text language sql stable parallel safe as $$
  select case when pb_is_stored_date(t) then left(t, 19) else pb_strftime('%F %T', t) end
$$;
create function pb_day_time(x double precision) returns text language sql stable parallel safe as $$ select pb_strftime('%F %T', x) $$;
