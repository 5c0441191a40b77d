-- A database as the version before lines left it, from pg_dump: two users, three devices, messages of each
-- kind.
begin;
set local check_function_bodies = false;
select pg_catalog.set_config('search_path', '', true);
CREATE DOMAIN public.pb_date AS text COLLATE pg_catalog."C" NOT NULL DEFAULT ''::text;
CREATE FUNCTION public._changes_note() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
declare
  source regclass;
begin
  if new.image is null then
    select to_regclass(quote_ident(c.name)) into source from _collections c where c.id = new.collection;
    if source is not null then
      execute format('select row_to_json(t.*) from %s t where t.id = $1', source) into new.image using new.record;
    end if;
  end if;
  perform pg_notify('changes', '');
  return new;
end $_$;
CREATE FUNCTION public._files_named() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
declare
  names text[];
begin
  if not exists (select from _files where collection = tg_argv[0] and record = old.id) then
    return null;
  end if;
  execute format('select %s from %s b where b.id = $1', tg_argv[1], tg_relid::regclass) into names using old.id;
  delete from _files
    where collection = tg_argv[0] and record = old.id and name <> all (coalesce(names, '{}'));
  return null;
end $_$;
CREATE FUNCTION public.auth_give_back(keys text[], exempt text, days integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  is_exempt boolean := exists (select from auth_tries t where t.key = exempt and t.ends > now());
begin
  if days > 0 then
    delete from auth_tries t where t.key = keys[1];
  end if;
  for i in 1 .. cardinality(keys) loop
    exit when i = cardinality(keys) and is_exempt;
    update auth_tries t set tries = t.tries - 1 where t.key = keys[i] and t.tries > 0 and t.ends > now();
  end loop;
  if days > 0 then
    insert into auth_tries values (exempt, 1, now() + make_interval(days => days))
    on conflict (key) do update set ends = excluded.ends;
  end if;
end $$;
CREATE FUNCTION public.auth_take_tries(keys text[], limits integer[], seconds integer, exempt text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  now_used int;
  until timestamptz;
begin
  for i in 1 .. cardinality(keys) loop
    exit when i = cardinality(keys) and exists (select from auth_tries t where t.key = exempt and t.ends > now());
    insert into auth_tries as t (key, tries, ends) values (keys[i], 1, now() + make_interval(secs => seconds))
    on conflict (key) do update set
      tries = case when t.ends <= now() then 1 else least(t.tries, limits[i]) + 1 end,
      ends = case when t.ends <= now() then excluded.ends else t.ends end
    returning t.tries, t.ends into now_used, until;
    if now_used > limits[i] then
      return greatest(1, ceil(extract(epoch from until - now())))::int;
    end if;
  end loop;
  return 0;
end $$;
CREATE FUNCTION public.instr(t text, part text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select strpos(t, part)$$;
CREATE FUNCTION public.json_array_length(list text[]) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select cardinality(list)$$;
CREATE FUNCTION public.json_each(v text) RETURNS TABLE(key text, value text, type text, id bigint)
    LANGUAGE sql IMMUTABLE ROWS 10 PARALLEL SAFE
    AS $$
  select e.key, pb_json_text(e.value), json_typeof(e.value), e.place
  from (
    select (i - 1)::text as key, x as value, i as place
    from json_array_elements(case when json_typeof(v::json) = 'array' then v::json else '[]' end) with ordinality a (x, i)
    union all
    select k, x, i
    from pg_catalog.json_each(case when json_typeof(v::json) = 'object' then v::json else '{}' end) with ordinality o (k, x, i)
    union all
    select null, v::json, 1 where json_typeof(v::json) not in ('array', 'object')
  ) e
  order by e.place
$$;
CREATE FUNCTION public.json_extract(v json, path text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when path like '$%' then pb_json_text(v #> array(select coalesce(m[1], m[2], m[3])
    from regexp_matches(path, '\."([^"]*)"|\.([^."[]+)|\[([0-9]+)\]', 'g') m)) end
$_$;
CREATE FUNCTION public.json_extract(t text, path text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select json_extract(t::json, path)$$;
CREATE FUNCTION public.pb_add_months(ms bigint, months integer) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  day record := pb_ymd(ms);
  total int := day.y * 12 + day.m - 1 + months;
  y int := floor(total / 12.0);
begin
  if y < -4713 or y > 9999 then return null; end if;
  return pb_julian_ms(y, total - y * 12 + 1, day.d) + mod(ms + 43200000, 86400000);
end $$;
CREATE FUNCTION public.pb_arrow(list text[], place integer) RETURNS json
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select array_to_json(list) -> place$$;
CREATE FUNCTION public.pb_arrow(list text[], label text) RETURNS json
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select pb_arrow(array_to_json(list), label)$$;
CREATE FUNCTION public.pb_arrow(v json, place integer) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select v -> place$$;
CREATE FUNCTION public.pb_arrow(v json, label text) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_json_at(v, pb_json_path(label))$$;
CREATE FUNCTION public.pb_arrow_text(list text[], place integer) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select pb_json_text(array_to_json(list) -> place)$$;
CREATE FUNCTION public.pb_arrow_text(list text[], label text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select pb_arrow_text(array_to_json(list), label)$$;
CREATE FUNCTION public.pb_arrow_text(v json, place integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_json_text(v -> place)$$;
CREATE FUNCTION public.pb_arrow_text(v json, label text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_json_text(pb_arrow(v, label))$$;
CREATE FUNCTION public.pb_bool(list text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select list is null and null$$;
CREATE FUNCTION public.pb_bool(b boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b$$;
CREATE FUNCTION public.pb_bool(x double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select x = 1$$;
CREATE FUNCTION public.pb_bool(v json) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_real(v) = 1$$;
CREATE FUNCTION public.pb_bool(t text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_real(t) = 1$$;
CREATE FUNCTION public.pb_clock_ms(t text) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
declare
  p text[] := regexp_match(t, '^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?[ \t\n\v\f\r]*(?:([-+])([0-9]{2}):([0-9]{2})|[zZ])?[ \t\n\v\f\r]*$');
begin
  if p is null or p[1]::int > 24 or p[2]::int > 59 or p[3]::int > 59 or p[6]::int > 14 or p[7]::int > 59 then
    return null;
  end if;
  return (p[1]::int * 60 + p[2]::int) * 60000 + coalesce(p[3]::int, 0) * 1000
    + least(round(coalesce('0' || left(p[4], 12), '0')::numeric * 1000), 999)::int
    - case p[5] when '-' then -60000 else 60000 end * coalesce(p[6]::int * 60 + p[7]::int, 0);
end $_$;
CREATE FUNCTION public.pb_count_true(n bigint, b boolean) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(n + b::int, n, b::int)
$$;
CREATE FUNCTION public.pb_day(x double precision) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select pb_strftime('%F', x) $$;
CREATE FUNCTION public.pb_day(t text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select case when pb_is_stored_date(t) then left(t, 10) else pb_strftime('%F', t) end
$$;
CREATE FUNCTION public.pb_day_time(x double precision) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select pb_strftime('%F %T', x) $$;
CREATE FUNCTION public.pb_day_time(t text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select case when pb_is_stored_date(t) then left(t, 19) else pb_strftime('%F %T', t) end
$$;
CREATE FUNCTION public.pb_differ(b boolean, n integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b::int <> n$$;
CREATE FUNCTION public.pb_digits(n integer, places integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when n < 0 then '-' || lpad((-n)::text, greatest(places - 1, length((-n)::text)), '0')
    else lpad(n::text, greatest(places, length(n::text)), '0') end
$$;
CREATE FUNCTION public.pb_equal(b boolean, n integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b::int = n$$;
CREATE FUNCTION public.pb_float(t text) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
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
CREATE FUNCTION public.pb_integer(list text[]) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select 0 * cardinality(list)::bigint$$;
CREATE FUNCTION public.pb_integer(b boolean) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b::int::bigint$$;
CREATE FUNCTION public.pb_integer(x double precision) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when x >= 9223372036854775807 then 9223372036854775807 when x <= -9223372036854775808 then -9223372036854775808
    else trunc(nullif(x, 'NaN'))::bigint end
$$;
CREATE FUNCTION public.pb_integer(n bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select n$$;
CREATE FUNCTION public.pb_integer(v json) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case json_typeof(v) when 'number' then pb_integer(pb_float(v::text)) else pb_integer(v::text) end
$$;
CREATE FUNCTION public.pb_integer(n numeric) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select trunc(least(greatest(n, -9223372036854775808), 9223372036854775807))::bigint
$$;
CREATE FUNCTION public.pb_integer(t text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select least(greatest((coalesce(p[1], '') || '0' || left(p[2], 20))::numeric, -9223372036854775808), 9223372036854775807)::bigint
  from (select regexp_match(t collate "C", '^[ \t\n\v\f\r]*([-+]?)0*([0-9]*)') p) parts where t is not null
$$;
CREATE FUNCTION public.pb_is_set(value json) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select value is not null and json_typeof(value) <> 'null' and value::text <> '""'
$$;
CREATE FUNCTION public.pb_is_stored_date(t text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select t collate "C" ~ '^[0-9]{4}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31) ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$'
$_$;
CREATE FUNCTION public.pb_json(v anyelement) RETURNS json
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    AS $$select to_json(v)$$;
CREATE FUNCTION public.pb_json(b boolean) RETURNS json
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$select to_json(b::int)$$;
CREATE FUNCTION public.pb_json(t text) RETURNS json
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  return t::json;
exception when others then
  return to_json(t);
end $$;
CREATE FUNCTION public.pb_json_at(v json, path text) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when path like '$%' then v #> array(select coalesce(m[1], m[2], m[3])
    from regexp_matches(path, '\."([^"]*)"|\.([^."[]+)|\[([0-9]+)\]', 'g') m) end
$_$;
CREATE FUNCTION public.pb_json_length(v json) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case json_typeof(v) when 'array' then json_array_length(v) else 0 * length(json_typeof(v)) end
$$;
CREATE FUNCTION public.pb_json_number(v json) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case json_typeof(v) when 'number' then pb_float(v #>> '{}') when 'boolean' then (v #>> '{}' = 'true')::int end
$$;
CREATE FUNCTION public.pb_json_numeric(v json) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case json_typeof(v) when 'string' then pb_numeric(v #>> '{}') else pb_json_number(v) end
$$;
CREATE FUNCTION public.pb_json_of(list text[]) RETURNS json
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select to_json(array_to_json(list)::text)$$;
CREATE FUNCTION public.pb_json_of(v anyelement) RETURNS json
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select to_json(v)$$;
CREATE FUNCTION public.pb_json_of(b boolean) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select to_json(b::int)$$;
CREATE FUNCTION public.pb_json_of(v json) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case json_typeof(v) when 'number' then v else to_json(v::text) end
$$;
CREATE FUNCTION public.pb_json_of(t text) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select to_json(t)$$;
CREATE FUNCTION public.pb_json_path(label text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when label like '$%' then label when label ~ '^\[[0-9]+\]$' then '$' || label else '$."' || label || '"' end
$_$;
CREATE FUNCTION public.pb_json_rank(v json) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when json_typeof(v) in ('number', 'boolean') then 1 when json_typeof(v) in ('string', 'object', 'array') then 2 end
$$;
CREATE FUNCTION public.pb_json_string(v json) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when json_typeof(v) in ('string', 'object', 'array') then v #>> '{}' end
$$;
CREATE FUNCTION public.pb_json_text(v json) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case json_typeof(v)
    when 'number' then case when v #>> '{}' ~ '^-?[0-9]{1,18}$' then v #>> '{}' else pb_real_text(pb_float(v #>> '{}')) end
    when 'boolean' then case when v #>> '{}' = 'true' then '1' else '0' end
    else v #>> '{}'
  end
$_$;
CREATE FUNCTION public.pb_julian_ms(y integer, m integer, d integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select (36525 * (y - (m <= 2)::int + 4716) / 100
    + 306001 * (m + 12 * (m <= 2)::int + 1) / 10000
    + d + 38 - (y - (m <= 2)::int + 4800) / 100 + (y - (m <= 2)::int + 4800) / 400 - 1524)::bigint * 86400000 - 43200000
$$;
CREATE FUNCTION public.pb_length(v anyelement) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select length(pb_text(v))$$;
CREATE FUNCTION public.pb_length(t text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select length(t)$$;
CREATE FUNCTION public.pb_modulo(x double precision, y double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select (pb_integer(x) % nullif(pb_integer(y), 0))::float8
$$;
CREATE FUNCTION public.pb_new_id() RETURNS text
    LANGUAGE sql
    AS $$
  select substr(lower(translate(
    encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/=', '')), 1, 15)
$$;
CREATE FUNCTION public.pb_number_text(x double precision) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when x = trunc(x) and abs(x) < 9.2e18 then x::bigint::text else pb_real_text(x) end
$$;
CREATE FUNCTION public.pb_numeric(t text) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when t collate "C" ~ '^[ \t\n\v\f\r]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t\n\v\f\r]*$'
    then pb_float(t) end
$_$;
CREATE FUNCTION public.pb_real(list text[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select 0 * cardinality(list)::float8$$;
CREATE FUNCTION public.pb_real(b boolean) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b::int::float8$$;
CREATE FUNCTION public.pb_real(x double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when abs(x) <= 1.7976931348623157e308 then x when x < 0 then -1.7976931348623157e308 when x = 'Infinity' then 1.7976931348623157e308 end
$$;
CREATE FUNCTION public.pb_real(n bigint) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select n::float8$$;
CREATE FUNCTION public.pb_real(v json) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_real(pb_text(v))$$;
CREATE FUNCTION public.pb_real(n numeric) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_real(pb_float(n::text))$$;
CREATE FUNCTION public.pb_real(t text) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when t is not null then coalesce(pb_real(pb_float(substring(t collate "C"
    from '^[ \t\n\v\f\r]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)'))), 0) end
$$;
CREATE FUNCTION public.pb_real_text(x double precision) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case
    when x = trunc(x) and abs(x) < 1e17 then x::bigint::text || '.0'
    else regexp_replace(x::text, '^(-?[0-9]+)(e|$)', '\1.0\2')
  end
$_$;
CREATE FUNCTION public.pb_round(x double precision, places bigint DEFAULT 0) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
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
CREATE FUNCTION public.pb_round(t text, places bigint DEFAULT 0) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_round(pb_real(t), places)$$;
CREATE FUNCTION public.pb_strftime(format text, value double precision, VARIADIC modifiers text[] DEFAULT '{}'::text[]) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select pb_strftime(format, value::text, variadic modifiers)$$;
CREATE FUNCTION public.pb_strftime(format text, value text, VARIADIC modifiers text[] DEFAULT '{}'::text[]) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
declare
  moment record := pb_time(value);
  ms bigint := moment.ms;
  raw double precision := moment.raw;
  result text := '';
  part text;
  piece text;
begin
  if format is null or (ms is null and raw is null) then return null; end if;
  for i in 1 .. cardinality(modifiers) loop
    ms := pb_time_shift(ms, raw, modifiers[i], i);
    raw := case when modifiers[i] ilike 'subsec%' then raw end;
    if ms is null or ms not between 0 and 464269060799999 then return null; end if;
  end loop;
  if ms is null then return null; end if;
  for part in select m[1] from regexp_matches(format, '%(?:.|$)|[^%]+', 'gs') m loop
    piece := case when left(part, 1) = '%' then pb_time_part(substr(part, 2), ms) else part end;
    if piece is null then return null; end if;
    result := result || piece;
  end loop;
  return result;
end $_$;
CREATE FUNCTION public.pb_substr(v anyelement, place bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select pb_substr(pb_text(v), place)$$;
CREATE FUNCTION public.pb_substr(t text, place bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select substr(t, greatest(case when place < 0 then length(t) + 1 + place else place end, 1)::int)
$$;
CREATE FUNCTION public.pb_substr(v anyelement, place bigint, size bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select pb_substr(pb_text(v), place, size)$$;
CREATE FUNCTION public.pb_substr(t text, place bigint, size bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select substr(t, greatest(first, 1)::int, greatest(least(last, length(t) + 1) - greatest(first, 1), 0)::int)
  from (select least(start, start + size) as first, greatest(start, start + size) as last
    from (select case when place < 0 then length(t) + 1 + place else place + (place = 0 and size < 0)::int end as start) s) range
$$;
CREATE FUNCTION public.pb_text(list text[]) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select array_to_json(list)::text$$;
CREATE FUNCTION public.pb_text(v anyelement) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$select v::text$$;
CREATE FUNCTION public.pb_text(b boolean) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b::int::text$$;
CREATE FUNCTION public.pb_text(x double precision) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_number_text(x)$$;
CREATE FUNCTION public.pb_text(n bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select n::text$$;
CREATE FUNCTION public.pb_text(v json) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case json_typeof(v) when 'number' then pb_json_text(v) else v::text end
$$;
CREATE FUNCTION public.pb_text(n numeric) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when scale(n) > 0 or abs(n) > 9223372036854775807 then pb_real_text(n::float8) else n::text end
$$;
CREATE FUNCTION public.pb_text(t text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select t$$;
CREATE FUNCTION public.pb_text(at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    AS $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')
$$;
CREATE FUNCTION public.pb_time(t text, OUT ms bigint, OUT raw double precision) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
declare
  p text[] := regexp_match(t, '^(-?[0-9]{4})-([0-9]{2})-([0-9]{2})[ \t\n\v\f\rT]*(.*)$');
begin
  if p[2]::int between 1 and 12 and p[3]::int between 1 and 31 then
    if p[4] = '' then
      ms := pb_julian_ms(p[1]::int, p[2]::int, p[3]::int);
    else
      ms := pb_julian_ms(p[1]::int, p[2]::int, p[3]::int) + pb_clock_ms(p[4]);
    end if;
  elsif t ~ '^[0-9]{2}:' then
    ms := pb_julian_ms(2000, 1, 1) + pb_clock_ms(t);
  elsif lower(t) in ('now', 'subsec', 'subsecond') then
    ms := 210866760000000 + floor(extract(epoch from statement_timestamp()) * 1000)::bigint;
  else
    raw := pb_numeric(t);
    if raw >= 0 and raw < 5373484.5 then
      ms := trunc(raw * 86400000 + 0.5);
    end if;
  end if;
end $_$;
CREATE FUNCTION public.pb_time_part(letter text, ms bigint) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  day record := pb_ymd(ms);
  clock int := mod(ms + 43200000, 86400000);
  hour int := clock / 3600000;
  minute int := clock / 60000 % 60;
  second int := clock / 1000 % 60;
  of_year int := (ms + 43200000) / 86400000 - (pb_julian_ms(day.y, 1, 1) + 43200000) / 86400000;
  monday int := (ms + 43200000) / 86400000 % 7;
  sunday int := (ms + 129600000) / 86400000 % 7;
  thursday record;
begin
  case letter
    when 'd' then return pb_digits(day.d, 2);
    when 'e' then return lpad(day.d::text, 2);
    when 'f' then return pb_digits(second, 2) || '.' || pb_digits(clock % 1000, 3);
    when 'F' then return pb_digits(day.y, 4) || '-' || pb_digits(day.m, 2) || '-' || pb_digits(day.d, 2);
    when 'H' then return pb_digits(hour, 2);
    when 'k' then return lpad(hour::text, 2);
    when 'I' then return pb_digits((hour + 11) % 12 + 1, 2);
    when 'l' then return lpad(((hour + 11) % 12 + 1)::text, 2);
    when 'j' then return pb_digits(of_year + 1, 3);
    when 'J' then return rtrim(rtrim(round((ms / 86400000::float8)::text::numeric, 16 - length(div(ms, 86400000)::text))::text, '0'), '.');
    when 'm' then return pb_digits(day.m, 2);
    when 'M' then return pb_digits(minute, 2);
    when 'p' then return case when hour >= 12 then 'PM' else 'AM' end;
    when 'P' then return case when hour >= 12 then 'pm' else 'am' end;
    when 'R' then return pb_digits(hour, 2) || ':' || pb_digits(minute, 2);
    when 's' then return (ms / 1000 - 210866760000)::text;
    when 'S' then return pb_digits(second, 2);
    when 'T' then return pb_digits(hour, 2) || ':' || pb_digits(minute, 2) || ':' || pb_digits(second, 2);
    when 'u' then return (monday + 1)::text;
    when 'w' then return sunday::text;
    when 'U' then return pb_digits((of_year - sunday + 7) / 7, 2);
    when 'W' then return pb_digits((of_year - monday + 7) / 7, 2);
    when 'Y' then return pb_digits(day.y, 4);
    when '%' then return '%';
    when 'G', 'g', 'V' then
      -- ISO 8601: a week belongs to the year of its Thursday
      ms := ms + (3 - monday) * 86400000;
      thursday := pb_ymd(ms);
      if letter = 'G' then return pb_digits(thursday.y, 4); end if;
      if letter = 'g' then return pb_digits(thursday.y % 100, 2); end if;
      return pb_digits((((ms + 43200000) / 86400000 - (pb_julian_ms(thursday.y, 1, 1) + 43200000) / 86400000) / 7 + 1)::int, 2);
    else return null;
  end case;
end $$;
CREATE FUNCTION public.pb_time_shift(ms bigint, raw double precision, modifier text, n integer) RETURNS bigint
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
declare
  word text := lower(modifier);
  p text[];
  amount double precision;
  day record;
begin
  if word = 'unixepoch' or (word = 'auto' and ms is null) then
    if n > 1 or raw is null or not raw between -210866760000 and 253402300799 then return null; end if;
    return floor(raw * 1000 + 210866760000000 + 0.5);
  elsif word = 'auto' or word = 'julianday' then
    return case when n = 1 and (word = 'auto' or raw is not null) then ms end;
  elsif ms is null or word in ('utc', 'localtime', 'subsec', 'subsecond', 'ceiling', 'floor') then
    return ms;
  elsif word ~ '^start of (day|month|year)$' then
    day := pb_ymd(ms);
    return pb_julian_ms(day.y, case when word ~ 'year' then 1 else day.m end, case when word ~ 'day' then day.d else 1 end);
  elsif word ~ '^weekday +[0-6](\.0*)?$' then
    return ms + mod(7 + substring(word from '[0-6]')::int - mod((ms + 129600000) / 86400000, 7), 7) * 86400000;
  end if;
  p := regexp_match(word, '^([-+]?)([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)$');
  if p is not null then
    return ms + case p[1] when '-' then -1 else 1 end * mod(pb_clock_ms(p[2]), 86400000);
  end if;
  p := regexp_match(word, '^([-+])([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ \t\n\v\f\r]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?))?$');
  if p is not null then
    if p[3]::int > 11 or p[4]::int > 30 then return null; end if;
    return pb_add_months(ms, (p[1] || (p[2]::int * 12 + p[3]::int))::int) + (p[1] || p[4])::int * 86400000::bigint
      + coalesce((p[1] || '1')::int * mod(pb_clock_ms(p[5]), 86400000), 0);
  end if;
  p := regexp_match(word, '^([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)[ \t\n\v\f\r]+(second|minute|hour|day|month|year)s?$');
  if p is null then return null; end if;
  amount := pb_float(p[1]);
  if abs(amount) >= (case p[2] when 'second' then 4.6427e14 when 'minute' then 7.7379e12 when 'hour' then 1.2897e11
    when 'day' then 5373485 when 'month' then 176546 else 14713 end) then return null; end if;
  if p[2] in ('month', 'year') then
    ms := pb_add_months(ms, trunc(amount)::int * case p[2] when 'year' then 12 else 1 end);
    amount := amount - trunc(amount);
  end if;
  return ms + trunc(amount * 1000 * case p[2] when 'second' then 1 when 'minute' then 60 when 'hour' then 3600
    when 'day' then 86400 when 'month' then 2592000 else 31536000 end + sign(amount) * 0.5)::bigint;
end $_$;
CREATE FUNCTION public.pb_total_true(x double precision, b boolean) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select x + coalesce(b::int, 0)
$$;
CREATE FUNCTION public.pb_truth(b boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select b$$;
CREATE FUNCTION public.pb_truth(x double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select x <> 0$$;
CREATE FUNCTION public.pb_truth(t text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$select pb_real(t) <> 0$$;
CREATE FUNCTION public.pb_ymd(ms bigint, OUT y integer, OUT m integer, OUT d integer) RETURNS record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select extract(year from day)::int + (extract(year from day) < 0)::int, extract(month from day)::int, extract(day from day)::int
  from (select date '2000-01-01' + ((ms + 43200000) / 86400000 - 2451545)::int as day) t
$$;
CREATE FUNCTION public.sms_accept(owner text, moment text, since text, default_quota double precision, node text, requests json, messages json, OUT outcomes text[], OUT known text[], OUT wake text[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  month constant text := left(moment, 7);
  is_single constant boolean := json_array_length(requests) = 1 and json_array_length(messages) = 1;
  -- the user
  user_version text;
  monthly_quota float8;
  used float8;
  turns bigint;
  available text[];
  -- ids of messages to contacts that have opted out: these are stored as failed and cost nothing
  opted_out text[];
  -- what the accepted requests need together
  accepted bigint[] := '{}';
  refs text[] := '{}';
  stored bigint := 0;
  spent float8 := 0;
  dealt bigint := 0;
  has_idempotency boolean := false;
  send_ids text[] := '{}';
  -- the requests whose text changes the conversation with its number
  spoken bigint[] := '{}';
  talk record;
  -- the request at hand
  request record;
  outcome text;
  cost int;
  live_key text;
  first_message text;
  -- the message of a single request
  single json;
  single_status text;
  single_device text;
  -- the usage record of this month
  usage_id text;
  usage_is_new boolean := false;
begin
  -- Lock the user.
  select t.turn into turns from sms_turns t where t."user" = owner for update;
  if not found then
    insert into sms_turns values (owner) on conflict do nothing;
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;
  -- Read what all requests need: quota, usage of this month, available devices, opted-out recipients.
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    u.xmin::text,
    coalesce(s.used, 0),
    array(select d.id from sms_available_devices(owner, since) d order by d.id collate "C"),
    array(
      select m.id from json_to_recordset(messages) m(id text, "to" text)
      join contacts c on c."user" = owner and c.phone = m."to" and c.opted_out
    )
  into monthly_quota, user_version, used, available, opted_out
  from users u left join sms_usage s on s."user" = u.id and s.period = month
  where u.id = owner;
  if not found then
    -- The user was deleted. All requests are stale; remove the row that the lock may have inserted.
    delete from sms_turns t where t."user" = owner;
  end if;
  -- Decide on each request, in order.
  for request in
    select a.* from rows from (json_to_recordset(requests) as (
      version text, key text, key_version text, count int, device text, later boolean, ref text,
      idempotency_key text, batch text, body text, priority int, sim int, scheduled_at text, expires_at text,
      guarantee text, bulk boolean, send_id text, twilio json
    )) with ordinality a(
      version, key, key_version, count, device, later, ref,
      idempotency_key, batch, body, priority, sim, scheduled_at, expires_at,
      guarantee, bulk, send_id, twilio, number
    )
  loop
    outcome := 'accepted';
    first_message := '';
    cost := request.count;
    if opted_out <> '{}' then
      select count(*) into cost from json_to_recordset(messages) m(r bigint, id text)
      where m.r = request.number and m.id <> all (opted_out);
    end if;
    -- Are the credentials still those that the request was checked with? Each update of a row changes `xmin`.
    if request.key is not null and request.key || request.key_version is distinct from live_key then
      select request.key || request.key_version into live_key from api_keys k
      where k.id = request.key and k."user" = owner and k.xmin::text = request.key_version;
    end if;
    if user_version is distinct from request.version
      or request.key is not null and request.key || request.key_version is distinct from live_key
    then
      outcome := 'stale';
    end if;
    -- Has the idempotency key an answer?
    if request.idempotency_key is not null then
      has_idempotency := true;
      perform from sms_idempotency i
      where i."user" = owner and i.key = request.idempotency_key and i.created > now() - interval '24 hours';
      if found and outcome = 'accepted' then
        outcome := 'replayed';
      end if;
    end if;
    -- Is the client_ref in use?
    if request.ref is not null and outcome = 'accepted' then
      select m.id into first_message from sms_messages m
      where m."user" = owner and m.client_ref = request.ref and m.client_ref <> '';
      outcome := case when found then 'known' when request.ref = any (refs) then 'again' else outcome end;
    end if;
    -- Is the id of SMSGate's client API in use?
    if request.send_id is not null and outcome = 'accepted' then
      perform from smsgate_sends s where s."user" = owner and s.id = request.send_id;
      outcome := case when found or request.send_id = any (send_ids) then 'message_id_in_use' else outcome end;
    end if;
    -- Does the requested device exist?
    if request.device is not null and outcome = 'accepted' then
      perform from devices d where d.id = request.device and d."user" = owner;
      if not found then
        outcome := 'device_not_found';
      end if;
    end if;
    -- Is there quota, and a device that can send now? A scheduled message needs no device yet.
    if outcome = 'accepted' and cost > 0 then
      outcome := case
        when monthly_quota > 0 and used + spent + cost > monthly_quota then 'quota_exceeded'
        when request.later then outcome
        when request.device = any (available) then outcome
        when request.device is null and available <> '{}' then outcome
        else 'no_devices'
      end;
    end if;
    if outcome = 'accepted' then
      accepted := accepted || request.number;
      -- Before the message, whose status may change a moment later. Null for any other request.
      if request.twilio is not null then
        insert into twilio_messages (message, api_key, callback, service, reply, told)
        select m.id, t.api_key, t.callback, t.service, t.reply,
          case when cost = 0 then 3 when request.later then 0 else 1 end
        from json_to_recordset(messages) m(r bigint, id text),
          json_to_record(request.twilio) t(api_key text, callback text, service boolean, reply boolean)
        where m.r = request.number;
      end if;
      stored := stored + request.count;
      spent := spent + cost;
      dealt := dealt + case when request.device is null and not request.later then cost else 0 end;
      if request.ref is not null then
        refs := refs || request.ref;
      end if;
      if request.send_id is not null then
        send_ids := send_ids || request.send_id;
      end if;
      if cost = 1 and request.count = 1 and request.bulk = false then
        spoken := spoken || request.number;
      end if;
    end if;
    outcomes := outcomes || outcome;
    known := known || coalesce(first_message, '');
    -- Leaves `request` set for the single message below; a loop that ends by itself does not.
    exit when is_single;
  end loop;
  if accepted = '{}' then
    return;
  end if;
  -- Charge the quota, advance the turn, count the messages.
  update sms_usage s set used = s.used + spent, quota = monthly_quota, updated = moment
  where s."user" = owner and s.period = month
  returning s.id into usage_id;
  if not found then
    insert into sms_usage (id, "user", period, used, quota, created, updated)
    values (pb_new_id(), owner, month, spent, monthly_quota, moment, moment)
    returning id into usage_id;
    usage_is_new := true;
  end if;
  update sms_turns t set turn = turns + dealt, messages = t.messages + stored where t."user" = owner;
  -- Store and queue the messages. Devices take turns: the n-th message without a requested device goes to
  -- available device number turns + n. A single message has statements of its own: starting the large
  -- statement takes 70 us.
  perform set_config('pocketsms.counted', 'yes', true);
  if is_single then
    single := messages -> 0;
    single_status := case when opted_out <> '{}' then 'failed' when request.later then 'pending' else 'assigned' end;
    single_device := case
      when single_status = 'failed' then ''
      when request.device is not null then request.device
      when single_status = 'pending' then ''
      else available[(1 + turns % cardinality(available))::int]
    end;
    insert into sms_messages (
      id, status, "to", body, message_type, device, batch_id,
      segments, priority, sim, scheduled_at, expires_at,
      guarantee, client_ref, error_message, "user", created, updated
    ) values (
      single ->> 'id', single_status, single ->> 'to', coalesce(single ->> 'body', request.body), 'outgoing',
      single_device, coalesce(request.batch, ''),
      (single ->> 'segments')::float8, request.priority, request.sim, coalesce(request.scheduled_at, ''),
      coalesce(request.expires_at, ''),
      request.guarantee, coalesce(request.ref, ''),
      case single_status when 'failed' then 'Recipient has opted out' else '' end, owner, moment, moment
    );
    if single_status <> 'failed' then
      insert into sms_dispatch (
        message, "user", device, pinned, state, period,
        wake_at,
        wakes, due_at, expires_at,
        priority, at_least_once
      ) values (
        single ->> 'id', owner, single_device, request.device is not null, single_status, month,
        case single_status when 'assigned' then moment::timestamptz + sms_wake_interval() end,
        (single_status = 'assigned')::int, request.scheduled_at::timestamptz, request.expires_at::timestamptz,
        request.priority, request.guarantee = 'at_least_once'
      );
    end if;
    if single_status = 'assigned' then
      wake := array[single_device];
    end if;
  else
    with new as (
      -- the accepted messages with the values of their requests
      select
        m.number, m.id, m."to", coalesce(m.body, a.body) as body, m.segments,
        a.device, a.batch, a.priority, a.sim, a.scheduled_at, a.expires_at, a.guarantee, a.ref,
        case when m.id = any (opted_out) then 'failed' when a.later then 'pending' else 'assigned' end as status
      from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, body text, segments float8))
        with ordinality m(r, id, "to", body, segments, number)
      join rows from (json_to_recordset(requests) as (
        device text, later boolean, batch text, body text, priority int, sim int, scheduled_at text, expires_at text,
        guarantee text, ref text
      )) with ordinality a(
        device, later, batch, body, priority, sim, scheduled_at, expires_at,
        guarantee, ref, number
      ) on a.number = m.r
      where m.r = any (accepted)
    ), ready as (
      -- with their devices
      select n.*, case
        when n.status = 'failed' then ''
        when n.device is not null then n.device
        when n.status = 'pending' then ''
        else available[(1 + (turns - 1 + row_number() over (
          partition by n.device is null and n.status = 'assigned' order by n.number
        )) % cardinality(available))::int]
      end as given_to
      from new n
    ), stored as (
      insert into sms_messages (
        id, status, "to", body, message_type, device, batch_id,
        segments, priority, sim, scheduled_at, expires_at,
        guarantee, client_ref, error_message,
        "user", created, updated
      )
      select
        n.id, n.status, n."to", n.body, 'outgoing', n.given_to, coalesce(n.batch, ''),
        n.segments, n.priority, n.sim, coalesce(n.scheduled_at, ''), coalesce(n.expires_at, ''),
        n.guarantee, coalesce(n.ref, ''), case n.status when 'failed' then 'Recipient has opted out' else '' end,
        owner, moment, moment
      from ready n order by n.number
    ), queued as (
      insert into sms_dispatch (
        message, "user", device, pinned, state, period,
        wake_at,
        wakes, due_at, expires_at,
        priority, at_least_once
      )
      select
        n.id, owner, n.given_to, n.device is not null, n.status, month,
        case n.status when 'assigned' then moment::timestamptz + sms_wake_interval() end,
        (n.status = 'assigned')::int, n.scheduled_at::timestamptz, n.expires_at::timestamptz,
        n.priority, n.guarantee = 'at_least_once'
      from ready n where n.status <> 'failed' order by n.number
      returning device, state
    )
    select array_agg(distinct q.device) into wake from queued q where q.state = 'assigned';
  end if;
  perform set_config('pocketsms.counted', '', true);
  -- A text to one number is the last word of the conversation with it, if there is one. Conversations are
  -- locked in the order of their numbers, after the user's row, as everywhere. A row is looked for by each
  -- number (a subquery, so no plan can read all conversations of the user).
  -- `to_regclass`: the table is missing while the first server of this version starts beside older ones.
  if spoken <> '{}' and to_regclass('conversations') is not null then
    for talk in
      select distinct on (m."to" collate "C") m."to", coalesce(m.body, a.body) as body, m.id
      from rows from (json_to_recordset(messages) as (r bigint, id text, "to" text, body text))
        with ordinality m(r, id, "to", body, number)
      join rows from (json_to_recordset(requests) as (body text)) with ordinality a(body, number) on a.number = m.r
      where m.r = any (spoken)
        and (select c.id from conversations c where c."user" = owner and c.number = m."to") is not null
      order by m."to" collate "C", m.number desc
    loop
      perform sms_conversation_answered(owner, moment, talk."to", talk.body, talk.id);
    end loop;
  end if;
  -- Tell the other nodes which devices to wake: at most 400 ids a notification, which holds 8,000 bytes.
  if node <> '' then
    perform pg_notify('pocketsms_wake', node || ' ' || string_agg(w.id, ' '))
    from unnest(wake) with ordinality w(id, number) group by (w.number - 1) / 400;
  end if;
  -- Keep the answers to idempotency keys.
  if has_idempotency then
    insert into sms_idempotency ("user", key, fingerprint, answer)
    select owner, a.idempotency_key, a.fingerprint, a.answer
    from rows from (json_to_recordset(requests) as (idempotency_key text, fingerprint text, answer text))
      with ordinality a(idempotency_key, fingerprint, answer, number)
    where a.number = any (accepted) and a.idempotency_key is not null
    on conflict ("user", key) do update
    set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
  end if;
  -- Keep the ids of SMSGate's client API.
  if send_ids <> '{}' then
    insert into smsgate_sends ("user", id, ref, is_batch, created)
    select owner, a.send_id, a.send_ref, a.batch is not null, moment
    from rows from (json_to_recordset(requests) as (send_id text, send_ref text, batch text))
      with ordinality a(send_id, send_ref, batch, number)
    where a.number = any (accepted) and a.send_id is not null;
  end if;
  -- Webhooks hear of messages that have failed because the recipient has opted out.
  if opted_out <> '{}' then
    insert into webhook_dispatch (delivery, webhook, "user", event_id, event, message)
    select pb_new_id(), w.id, owner, m.event_id, 'message.failed', m.id
    from (
      select a.id, pb_new_id() as event_id from json_to_recordset(messages) a(r bigint, id text)
      where a.r = any (accepted) and a.id = any (opted_out)
    ) m join webhooks w on w."user" = owner and w.enabled and 'message.failed' = any (w.events);
  end if;
  -- Realtime subscribers hear of the messages and of the usage.
  if exists (select from _listeners) then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', 'create', s.id, row_to_json(s.*)
    from json_to_recordset(messages) m(r bigint, id text) join sms_messages s on s.id = m.id
    where m.r = any (accepted) order by m.r;
    insert into _changes (collection, action, record)
    values ('sms_usage', case when usage_is_new then 'create' else 'update' end, usage_id);
  end if;
end $$;
CREATE FUNCTION public.sms_accept_plain(owner text, moment text, since text, default_quota double precision, node text, sender_version text, sender_key text, key_version text, message_id text, recipient text, content text, parts double precision, rank integer, slot integer, ends_at text, safety text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  month constant text := left(moment, 7);
  turns bigint;
  monthly_quota float8;
  available text[];
  chosen text;
  has_listeners boolean;
  usage_id text;
begin
  -- Lock the user's row, as sms_accept does, and take a turn.
  update sms_turns t set turn = t.turn + 1, messages = t.messages + 1 where t."user" = owner
  returning t.turn - 1 into turns;
  if not found then
    return null;
  end if;
  -- No row if the credentials have changed or the recipient has opted out.
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end,
    array(select d.id from sms_available_devices(owner, since) d order by d.id collate "C"),
    exists (select from _listeners)
  into monthly_quota, available, has_listeners
  from users u
  where u.id = owner and u.xmin::text = sender_version
    and (sender_key is null or exists (
      select from api_keys k where k.id = sender_key and k."user" = owner and k.xmin::text = key_version
    ))
    and not exists (select from contacts c where c."user" = owner and c.phone = recipient and c.opted_out);
  -- Charge the quota.
  if found and available <> '{}' then
    update sms_usage s set used = s.used + 1, quota = monthly_quota, updated = moment
    where s."user" = owner and s.period = month and (monthly_quota <= 0 or s.used + 1 <= monthly_quota)
    returning s.id into usage_id;
  end if;
  if usage_id is null then
    -- Give the turn back.
    update sms_turns t set turn = turns, messages = t.messages - 1 where t."user" = owner;
    return null;
  end if;
  -- Store and queue the message.
  chosen := available[(1 + turns % cardinality(available))::int];
  perform set_config('pocketsms.counted', 'yes', true);
  insert into sms_messages (
    id, status, "to", body, message_type, device, segments, priority, sim, scheduled_at,
    expires_at, guarantee, "user", created, updated
  ) values (
    message_id, 'assigned', recipient, content, 'outgoing', chosen, parts, rank, slot, '',
    ends_at, safety, owner, moment, moment
  );
  perform set_config('pocketsms.counted', '', true);
  insert into sms_dispatch (
    message, "user", device, state, period, wake_at, wakes,
    expires_at, priority, at_least_once
  ) values (
    message_id, owner, chosen, 'assigned', month, moment::timestamptz + sms_wake_interval(), 1,
    nullif(ends_at, '')::timestamptz, rank, safety = 'at_least_once'
  );
  -- Most recipients have no conversation. To look first costs 5 us, an UPDATE of no row 16.
  if to_regclass('conversations') is not null then
    perform from conversations c where c."user" = owner and c.number = recipient;
    if found then
      perform sms_conversation_answered(owner, moment, recipient, content, message_id);
    end if;
  end if;
  -- Tell other nodes and realtime subscribers.
  if node <> '' then
    perform pg_notify('pocketsms_wake', node || ' ' || chosen);
  end if;
  if has_listeners then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', 'create', s.id, row_to_json(s.*) from sms_messages s where s.id = message_id;
    insert into _changes (collection, action, record) values ('sms_usage', 'update', usage_id);
  end if;
  return chosen;
end $$;
CREATE FUNCTION public.sms_available_devices(owner text, since text) RETURNS TABLE(id text)
    LANGUAGE sql STABLE
    AS $$
  select d.id from devices d
  where d."user" = owner and d.enabled and (d.last_seen >= since or pb_is_set(d.push))
    and (d.per_minute <= 0 and d.daily_limit <= 0 or sms_is_below_limits(d.id, d.per_minute, d.daily_limit))
$$;
CREATE FUNCTION public.sms_conversation_answered(owner text, moment text, recipient text, content text, message_id text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  changed text;
begin
  update conversations c set
    last_text = left(content, 1600), last_at = greatest(c.last_at, moment), last_type = 'outgoing',
    last_message = message_id, unanswered = false, updated = moment
  where c."user" = owner and c.number = recipient
  returning c.id into changed;
  if changed is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('conversations', 'update', changed);
  end if;
end $$;
CREATE FUNCTION public.sms_conversation_last(owner text, other text) RETURNS TABLE(id text, body text, at text, type text, device text, heard text, name text)
    LANGUAGE sql STABLE
    AS $$
  with incoming as (
    select * from (
      select m.id, left(m.body, 1600) as body, m.created, m.device from sms_messages m
      where m."user" = owner and m."from" = other and m."from" <> '' and m.message_type = 'incoming' offset 0
    ) m order by m.created desc limit 1
  ), outgoing as (
    select * from (
      select m.id, left(m.body, 1600) as body, m.created, m.device from sms_messages m
      where m."user" = owner and m."to" = other and m."to" <> '' and m.message_type = 'outgoing'
        and m.batch_id = '' offset 0
    ) m order by m.created desc limit 1
  ), last as (
    select i.*, 'incoming' as type from incoming i union all select o.*, 'outgoing' from outgoing o
    order by created desc limit 1
  )
  select coalesce(l.id, ''), coalesce(l.body, ''), coalesce(l.created, ''), coalesce(l.type, ''),
    coalesce((select i.device from incoming i), ''), coalesce((select i.created from incoming i), ''),
    coalesce((select c.name from contacts c where c."user" = owner and c.phone = other), '')
  from (select 1) one left join last l on true
$$;
CREATE FUNCTION public.sms_conversation_named() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or (old."user", old.phone) <> (new."user", new.phone)) then
    perform sms_conversation_rename(old."user", old.phone, '');
  end if;
  if tg_op <> 'DELETE' then
    perform sms_conversation_rename(new."user", new.phone, new.name);
  end if;
  return null;
end $$;
CREATE FUNCTION public.sms_conversation_rename(owner text, phone text, contact_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  changed text;
begin
  update conversations c set name = contact_name, updated = pb_text(now())
  where c."user" = owner and c.number = phone and c.name <> contact_name
  returning c.id into changed;
  if changed is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('conversations', 'update', changed);
  end if;
end $$;
CREATE FUNCTION public.sms_conversation_triggers() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  lock table contacts in share row exclusive mode;
  create or replace trigger conversation_insert after insert on contacts
    for each row when (new.name <> '') execute function sms_conversation_named();
  create or replace trigger conversation_update after update on contacts
    for each row when ((old."user", old.phone, old.name) <> (new."user", new.phone, new.name))
    execute function sms_conversation_named();
  create or replace trigger conversation_delete after delete on contacts
    for each row when (old.name <> '') execute function sms_conversation_named();
  update conversations c set name = k.name
  from contacts k where k."user" = c."user" and k.phone = c.number and k.name <> c.name;
end $$;
CREATE FUNCTION public.sms_count(counted oid, owner text, more bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update sms_totals t set messages = t.messages + more where t.id = (
    select c.id from sms_totals c where c.relation = counted and c."user" = owner limit 1 for update skip locked
  );
  if not found then
    insert into sms_totals (relation, "user", messages) values (counted, owner, more);
  end if;
end $$;
CREATE FUNCTION public.sms_count_all() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  lock table sms_turns in exclusive mode;
  lock table sms_messages in share row exclusive mode;
  create or replace trigger came after insert on sms_messages referencing new table as came
    for each statement when (current_setting('pocketsms.counted', true) is distinct from 'yes')
    execute function sms_messages_came();
  create or replace trigger went after delete on sms_messages referencing old table as went
    for each statement execute function sms_messages_went();
  create or replace trigger moved after update of "user" on sms_messages
    for each row when (old."user" <> new."user") execute function sms_messages_moved();
  create or replace trigger emptied after truncate on sms_messages
    for each statement execute function sms_messages_emptied();
  update sms_turns set messages = 0 where messages <> 0;
  delete from sms_totals;
  insert into sms_totals (relation, "user", messages)
  select 'sms_messages'::regclass, "user", count(*) from sms_messages where "user" <> '' group by 2
  union all
  select 'sms_messages'::regclass, '', (select count(*) from sms_messages where "user" = '');
end $$;
CREATE FUNCTION public.sms_is_below_limits(device_id text, per_minute double precision, daily_limit double precision) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select (per_minute <= 0 or per_minute > coalesce(sum(h.messages) filter (where h.at > now() - interval '1 minute'), 0))
    and (daily_limit <= 0 or daily_limit > coalesce(sum(h.messages), 0))
  from device_handouts h where h.device = device_id and h.at > now() - interval '1 day'
$$;
CREATE FUNCTION public.sms_messages_came() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform sms_count(tg_relid, c."user", c.n) from (select "user", count(*) as n from came group by 1 order by 1) c;
  return null;
end $$;
CREATE FUNCTION public.sms_messages_emptied() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from sms_totals where relation = tg_relid and "user" <> '';
  update sms_totals set messages = 0 where relation = tg_relid;
  update sms_turns set messages = 0 where messages <> 0;
  return null;
end $$;
CREATE FUNCTION public.sms_messages_moved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform sms_count(tg_relid, old."user", -1);
  perform sms_count(tg_relid, new."user", 1);
  return null;
end $$;
CREATE FUNCTION public.sms_messages_went() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform sms_count(tg_relid, w."user", -w.n) from (select "user", count(*) as n from went group by 1 order by 1) w;
  delete from smsgate_sends s using went w where s.ref = w.id and not s.is_batch;
  delete from smsgate_sends s
  where s.is_batch and s.ref in (select w.batch_id from went w where w.batch_id <> '')
    and not exists (select from sms_messages m where m.batch_id = s.ref and m.batch_id <> '');
  return null;
end $$;
CREATE FUNCTION public.sms_turns_went() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform sms_count(to_regclass('sms_messages'), old."user", old.messages) where to_regclass('sms_messages') is not null;
  return null;
end $$;
CREATE FUNCTION public.sms_wake_interval() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select interval '5 seconds'
$$;
CREATE FUNCTION public.twilio_attach() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if to_regclass('sms_events') is not null
    and not exists (select from pg_trigger where tgrelid = to_regclass('sms_events') and tgname = 'twilio_noted')
  then
    create trigger twilio_noted after insert on sms_events referencing new table as added
      for each statement execute function twilio_events_noted();
  end if;
  if to_regclass('sms_messages') is not null
    and not exists (select from pg_trigger where tgrelid = to_regclass('sms_messages') and tgname = 'twilio_went')
  then
    create trigger twilio_went after delete on sms_messages referencing old table as went
      for each statement execute function twilio_messages_went();
  end if;
  if to_regclass('devices') is not null
    and not exists (select from pg_trigger where tgrelid = to_regclass('devices') and tgname = 'twilio_went')
  then
    create trigger twilio_went after delete on devices referencing old table as went
      for each statement execute function twilio_numbers_went();
  end if;
end $$;
CREATE FUNCTION public.twilio_events_noted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  with known as materialized (
    select a.id, a."user", t.message, t.api_key, t.callback, t.service,
      case a.status when 'assigned' then 1 when 'sent' then 2 when 'delivered' then 3 when 'failed' then 3
        else 0 end as rank
    from added a cross join lateral (
      select * from twilio_messages t where t.message = a.message and t.callback <> '' offset 0
    ) t
  ), moved as (
    update twilio_messages t set told = k.rank from known k
    where t.message = k.message and t.told < k.rank
    returning k.id, k."user", k.message, k.api_key, k.callback, k.service
  )
  insert into webhook_dispatch (delivery, webhook, "user", due_at, event_id, event, message, image, target)
  select pb_new_id(), 'callbacks ' || (hashtext(m.id) & 15), e."user", clock_timestamp(), e.id, 'message.status',
    m.id,
    (to_jsonb(m.*) || jsonb_build_object('device_phone', coalesce(d.phone, ''), 'service', e.service))::json,
    json_build_object('url', e.callback, 'api_key', e.api_key)
  from moved e
  join sms_messages m on m.id = e.message
  join api_keys k on k.id = e.api_key
  left join devices d on d.id = m.device;
  if exists (select from added a where a.status = 'received') then
    insert into webhook_dispatch (delivery, webhook, "user", event_id, event, message)
    select pb_new_id(), w.id, a."user", a.id, 'message.received', a.message
    from added a join webhooks w on w."user" = a."user" and w.enabled
      and to_jsonb(w.*) ->> 'format' = 'twilio' and to_jsonb(w.*) ->> 'device' = a.device
    where a.status = 'received';
  end if;
  return null;
end $$;
CREATE FUNCTION public.twilio_messages_went() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from twilio_messages t using went w where t.message = w.id;
  delete from twilio_answers a using went w where a.message = w.id;
  return null;
end $$;
CREATE FUNCTION public.twilio_numbers_went() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from twilio_numbers n using went w where n.device = w.id;
  return null;
end $$;
CREATE FUNCTION public.webhook_noted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  moment constant text := pb_text(now());
begin
  if not exists (select from added a where a.event_id is not null) then return null; end if;
  delete from webhook_dispatch d using added a
  where d.delivery = a.delivery and a.event_id is not null and a.image is null
    and not exists (select from sms_messages m where m.id = a.message);
  -- By to_jsonb: the columns are missing while the first server of this version starts beside older ones.
  delete from webhook_dispatch d using added a, sms_messages m, (
    select f.id, coalesce(j ->> 'device', '') as device, coalesce(j ->> 'smsgate_event', '') as event
    from webhooks f cross join lateral to_jsonb(f) j
    where f.id in (select distinct webhook from added)
      and (coalesce(j ->> 'device', '') <> '' or coalesce(j ->> 'smsgate_event', '') <> '')
  ) w
  where d.delivery = a.delivery and a.event_id is not null and a.image is null and m.id = a.message
    and w.id = a.webhook and not (
      (w.device = '' or w.device = m.device) and case w.event
        when 'sms:failed' then m.error_message <> 'Canceled'
        when 'sms:cancelled' then m.error_message = 'Canceled'
        when 'sms:received' then not starts_with(m.body, 'data:application/octet-stream;base64,')
        when 'sms:data-received' then starts_with(m.body, 'data:application/octet-stream;base64,')
        else true end
    );
  insert into webhook_payloads (delivery, at, image, target)
  select a.delivery, now(), coalesce(a.image, row_to_json(m.*)), a.target
  from added a join webhook_dispatch d on d.delivery = a.delivery left join sms_messages m on m.id = a.message
  where a.event_id is not null;
  insert into webhook_deliveries (id, "user", webhook, event_id, event, message, status, next_attempt_at, created,
    updated)
  select a.delivery, a."user", case when a.target is null then a.webhook else '' end, a.event_id, a.event, coalesce(a.message, ''), 'pending', moment, moment, moment
  from added a join webhook_dispatch d on d.delivery = a.delivery
  where a.event_id is not null;
  if exists (select from _listeners) then
    insert into _changes (collection, action, record)
    select 'webhook_deliveries', 'create', a.delivery
    from added a join webhook_dispatch d on d.delivery = a.delivery
    where a.event_id is not null;
  end if;
  perform pg_notify('pocketsms_webhooks', '');
  return null;
end $$;
CREATE AGGREGATE public.sum(boolean) (
    SFUNC = public.pb_count_true,
    STYPE = bigint
);
CREATE AGGREGATE public.total(boolean) (
    SFUNC = public.pb_total_true,
    STYPE = double precision,
    INITCOND = '0'
);
CREATE AGGREGATE public.total(double precision) (
    SFUNC = float8pl,
    STYPE = double precision,
    INITCOND = '0'
);
CREATE OPERATOR public.% (
    FUNCTION = public.pb_modulo,
    LEFTARG = double precision,
    RIGHTARG = double precision
);
CREATE OPERATOR public.<> (
    FUNCTION = public.pb_differ,
    LEFTARG = boolean,
    RIGHTARG = integer,
    NEGATOR = OPERATOR(public.=)
);
CREATE OPERATOR public.= (
    FUNCTION = public.pb_equal,
    LEFTARG = boolean,
    RIGHTARG = integer,
    NEGATOR = OPERATOR(public.<>)
);
CREATE OPERATOR public.@-> (
    FUNCTION = public.pb_arrow,
    LEFTARG = text[],
    RIGHTARG = integer
);
CREATE OPERATOR public.@-> (
    FUNCTION = public.pb_arrow,
    LEFTARG = text[],
    RIGHTARG = text
);
CREATE OPERATOR public.@-> (
    FUNCTION = public.pb_arrow,
    LEFTARG = json,
    RIGHTARG = integer
);
CREATE OPERATOR public.@-> (
    FUNCTION = public.pb_arrow,
    LEFTARG = json,
    RIGHTARG = text
);
CREATE OPERATOR public.@->> (
    FUNCTION = public.pb_arrow_text,
    LEFTARG = text[],
    RIGHTARG = integer
);
CREATE OPERATOR public.@->> (
    FUNCTION = public.pb_arrow_text,
    LEFTARG = text[],
    RIGHTARG = text
);
CREATE OPERATOR public.@->> (
    FUNCTION = public.pb_arrow_text,
    LEFTARG = json,
    RIGHTARG = integer
);
CREATE OPERATOR public.@->> (
    FUNCTION = public.pb_arrow_text,
    LEFTARG = json,
    RIGHTARG = text
);
CREATE TABLE public._audit (
    _rowid bigint NOT NULL,
    id text DEFAULT public.pb_new_id() NOT NULL COLLATE pg_catalog."C",
    created public.pb_date DEFAULT public.pb_text(clock_timestamp()) NOT NULL,
    superuser text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    ip text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    collection text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    record text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    fields json DEFAULT '[]'::json NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public._audit ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._audit__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public."_authOrigins" (
    id text NOT NULL COLLATE pg_catalog."C",
    "collectionRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "recordRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    fingerprint text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public."_authOrigins" ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public."_authOrigins__rowid_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._changes (
    "position" bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    collection text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL COLLATE pg_catalog."C",
    image json,
    CONSTRAINT _changes_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text])))
);
ALTER TABLE public._changes ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._changes_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._collections (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    data json NOT NULL,
    "position" bigint NOT NULL
);
CREATE VIEW public._collections_listed AS
 SELECT _collections.id,
    _collections.name,
    ((_collections.data ->> 'type'::text) COLLATE "C") AS type,
    ((_collections.data ->> 'created'::text) COLLATE "C") AS created,
    ((_collections.data ->> 'updated'::text) COLLATE "C") AS updated,
    ((_collections.data ->> 'system'::text))::boolean AS system,
    _collections."position" AS _rowid
   FROM public._collections;
ALTER TABLE public._collections ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._collections_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public."_externalAuths" (
    id text NOT NULL COLLATE pg_catalog."C",
    "collectionRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "recordRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    provider text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "providerId" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public."_externalAuths" ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public."_externalAuths__rowid_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._file_chunks (
    file bigint NOT NULL,
    part integer NOT NULL,
    content bytea NOT NULL
);
ALTER TABLE ONLY public._file_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE public._files (
    id bigint NOT NULL,
    collection text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    thumb text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    original bigint,
    size bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    modified timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public._files ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._files_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._functions (
    name text NOT NULL COLLATE pg_catalog."C",
    checksum text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public._listeners (
    node text NOT NULL COLLATE pg_catalog."C",
    seen timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public._logs (
    _rowid bigint NOT NULL,
    id text DEFAULT public.pb_new_id() NOT NULL COLLATE pg_catalog."C",
    created public.pb_date NOT NULL,
    level double precision NOT NULL,
    message text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    data json DEFAULT '{}'::json NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public._logs ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._logs__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._mfas (
    id text NOT NULL COLLATE pg_catalog."C",
    "collectionRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "recordRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    method text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public._mfas ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._mfas__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._migrations (
    file text NOT NULL,
    applied timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public._otps (
    id text NOT NULL COLLATE pg_catalog."C",
    "collectionRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "recordRef" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    password text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "sentTo" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public._otps ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._otps__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public._params (
    key text NOT NULL COLLATE pg_catalog."C",
    value json NOT NULL
);
CREATE TABLE public._subscribing (
    id text NOT NULL COLLATE pg_catalog."C",
    node text NOT NULL COLLATE pg_catalog."C",
    request json NOT NULL,
    answer json,
    at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public._superusers (
    id text NOT NULL COLLATE pg_catalog."C",
    password text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "tokenKey" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "emailVisibility" boolean DEFAULT false NOT NULL,
    verified boolean DEFAULT false NOT NULL,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public._superusers ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public._superusers__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    prefix text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    hash text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    expires_at public.pb_date,
    last_used_at public.pb_date,
    scopes text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    twilio boolean DEFAULT false NOT NULL,
    signing text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.api_keys ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_keys__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    collection text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    created timestamp with time zone DEFAULT now() NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ip text NOT NULL COLLATE pg_catalog."C",
    user_agent text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.auth_tries (
    key text NOT NULL COLLATE pg_catalog."C",
    tries integer NOT NULL,
    ends timestamp with time zone NOT NULL
);
CREATE TABLE public.backup_state (
    is_only boolean DEFAULT true NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    running json,
    lease uuid,
    lease_until timestamp with time zone,
    last_backup json,
    last_restore json,
    last_failure json,
    schedule text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    scheduled_until timestamp with time zone DEFAULT now() NOT NULL,
    restores bigint DEFAULT 0 NOT NULL,
    CONSTRAINT backup_state_is_only_check CHECK (is_only)
);
CREATE TABLE public.campaigns (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    body text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    template text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    variables json,
    groups text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    recipients json,
    scheduled_at public.pb_date,
    expires_at public.pb_date,
    status text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    sim double precision DEFAULT 0 NOT NULL,
    priority double precision DEFAULT 0 NOT NULL,
    guarantee text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    batch_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    revision double precision DEFAULT 0 NOT NULL,
    recipients_count double precision DEFAULT 0 NOT NULL,
    segments double precision DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    batches json,
    former_batch text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    audience json,
    settled boolean DEFAULT false NOT NULL,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.campaigns ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.campaigns__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.contact_groups (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.contact_groups ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.contact_groups__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.contacts (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    phone text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    groups text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    opted_out boolean DEFAULT false NOT NULL,
    data json,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.contacts ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.contacts__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.conversations (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    number text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    last_text text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    last_at public.pb_date,
    last_type text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    last_message text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    unread double precision DEFAULT 0 NOT NULL,
    unanswered boolean DEFAULT false NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.conversations ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.conversations__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.device_alarm_mails (
    id bigint NOT NULL,
    "user" text NOT NULL COLLATE pg_catalog."C",
    devices json NOT NULL,
    key uuid DEFAULT gen_random_uuid() NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone
);
ALTER TABLE public.device_alarm_mails ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.device_alarm_mails_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.device_batteries (
    device text NOT NULL COLLATE pg_catalog."C",
    percent real NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.device_handouts (
    device text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    messages integer NOT NULL
);
CREATE TABLE public.device_pairings (
    code_hash text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.device_silences (
    device text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    silent_since text NOT NULL COLLATE pg_catalog."C",
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    told_at timestamp with time zone,
    CONSTRAINT device_silences_state_check CHECK ((state = ANY (ARRAY['silent'::text, 'told'::text, 'back'::text, 'over'::text])))
);
CREATE TABLE public.device_streams (
    device text NOT NULL COLLATE pg_catalog."C",
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.device_watch (
    is_only boolean DEFAULT true NOT NULL,
    reachable_since timestamp with time zone DEFAULT now() NOT NULL,
    looked_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT device_watch_is_only_check CHECK (is_only)
);
CREATE TABLE public.devices (
    id text NOT NULL COLLATE pg_catalog."C",
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    phone text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    platform text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    enabled boolean DEFAULT false NOT NULL,
    last_seen public.pb_date,
    daily_limit double precision DEFAULT 0 NOT NULL,
    per_minute double precision DEFAULT 0 NOT NULL,
    sims json,
    push json,
    created public.pb_date,
    updated public.pb_date,
    password text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "tokenKey" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "emailVisibility" boolean DEFAULT false NOT NULL,
    verified boolean DEFAULT false NOT NULL,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.devices ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.devices__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.push_hours (
    "user" text NOT NULL COLLATE pg_catalog."C",
    pushes integer NOT NULL,
    ends timestamp with time zone NOT NULL
);
CREATE TABLE public.push_queue (
    conversation text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'waiting'::text NOT NULL COLLATE pg_catalog."C",
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT push_queue_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'leased'::text, 'done'::text])))
);
CREATE TABLE public.push_subscriptions (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL COLLATE pg_catalog."C",
    keys json NOT NULL,
    user_agent text NOT NULL COLLATE pg_catalog."C",
    created timestamp with time zone DEFAULT now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.reply_mails (
    "user" text NOT NULL COLLATE pg_catalog."C",
    told_until public.pb_date NOT NULL,
    next_at timestamp with time zone NOT NULL
);
CREATE TABLE public.sms_dispatch (
    message text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    pinned boolean DEFAULT false NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    attempt integer DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    wake_at timestamp with time zone,
    wakes integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    expires_at timestamp with time zone,
    priority smallint DEFAULT 0 NOT NULL,
    at_least_once boolean DEFAULT false NOT NULL,
    "position" bigint NOT NULL,
    queued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT sms_dispatch_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'assigned'::text, 'sending'::text])))
);
ALTER TABLE public.sms_dispatch ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sms_dispatch_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sms_events (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    message text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    attempt double precision DEFAULT 0 NOT NULL,
    detail text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.sms_events ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sms_events__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sms_idempotency (
    "user" text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    answer text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.sms_messages (
    id text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "to" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "from" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    body text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    message_type text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    batch_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    segments double precision DEFAULT 0 NOT NULL,
    priority double precision DEFAULT 0 NOT NULL,
    sim double precision DEFAULT 0 NOT NULL,
    scheduled_at public.pb_date,
    expires_at public.pb_date,
    guarantee text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    client_ref text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    sent_at public.pb_date,
    delivered_at public.pb_date,
    error_message text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.sms_messages ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sms_messages__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sms_templates (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    body text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.sms_templates ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sms_templates__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sms_totals (
    id bigint NOT NULL,
    relation oid NOT NULL,
    "user" text NOT NULL COLLATE pg_catalog."C",
    messages bigint NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE public.sms_totals ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sms_totals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sms_turns (
    "user" text NOT NULL COLLATE pg_catalog."C",
    turn bigint DEFAULT 0 NOT NULL,
    messages bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.sms_usage (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    period text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    used double precision DEFAULT 0 NOT NULL,
    quota double precision DEFAULT 0 NOT NULL,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.sms_usage ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sms_usage__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.smsgate_accounts (
    "user" text NOT NULL COLLATE pg_catalog."C",
    signing_key text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.smsgate_phones (
    device text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL COLLATE pg_catalog."C",
    signing_key text NOT NULL COLLATE pg_catalog."C",
    clock_ms double precision,
    room integer NOT NULL,
    narrowed_at timestamp with time zone,
    missed_since timestamp with time zone,
    woken_at timestamp with time zone,
    pulled_at timestamp with time zone,
    handed_at timestamp with time zone,
    handed integer DEFAULT 0 NOT NULL,
    export_since timestamp with time zone,
    export_until timestamp with time zone
);
CREATE TABLE public.smsgate_sends (
    "user" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    ref text NOT NULL COLLATE pg_catalog."C",
    is_batch boolean NOT NULL,
    created public.pb_date NOT NULL
);
CREATE TABLE public.smsgate_texts (
    device text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    attempt integer NOT NULL,
    listed_at timestamp with time zone NOT NULL,
    is_known boolean DEFAULT false NOT NULL,
    is_processed boolean DEFAULT false NOT NULL,
    canceled_at timestamp with time zone,
    valid_until timestamp with time zone NOT NULL
);
CREATE TABLE public.smsgate_tokens (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    api_key text NOT NULL COLLATE pg_catalog."C",
    scopes text[] NOT NULL COLLATE pg_catalog."C",
    created timestamp with time zone DEFAULT now() NOT NULL,
    access_until timestamp with time zone NOT NULL,
    refresh_until timestamp with time zone NOT NULL,
    is_refreshed boolean DEFAULT false NOT NULL
);
CREATE TABLE public.twilio_answers (
    message text NOT NULL COLLATE pg_catalog."C",
    replies json,
    created timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.twilio_messages (
    message text NOT NULL COLLATE pg_catalog."C",
    api_key text NOT NULL COLLATE pg_catalog."C",
    callback text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    service boolean DEFAULT false NOT NULL,
    reply boolean DEFAULT false NOT NULL,
    told smallint DEFAULT 0 NOT NULL
);
CREATE TABLE public.twilio_numbers (
    device text NOT NULL COLLATE pg_catalog."C",
    sms_method text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT twilio_numbers_sms_method_check CHECK ((sms_method = ANY (ARRAY['GET'::text, 'POST'::text])))
);
CREATE TABLE public.user_settings (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    disabled boolean DEFAULT false NOT NULL,
    country text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    time_zone text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    reply_mail_minutes double precision DEFAULT 0 NOT NULL,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.user_settings ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.user_settings__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.users (
    id text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    monthly_quota double precision DEFAULT 0 NOT NULL,
    created public.pb_date,
    updated public.pb_date,
    password text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "tokenKey" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "emailVisibility" boolean DEFAULT false NOT NULL,
    verified boolean DEFAULT false NOT NULL,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.users ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.users__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_deliveries (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    webhook text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    event_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    event text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    message text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    attempts double precision DEFAULT 0 NOT NULL,
    response_status double precision DEFAULT 0 NOT NULL,
    response_body text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    latency_ms double precision DEFAULT 0 NOT NULL,
    next_attempt_at public.pb_date,
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.webhook_deliveries ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_deliveries__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_dispatch (
    delivery text NOT NULL COLLATE pg_catalog."C",
    webhook text NOT NULL COLLATE pg_catalog."C",
    "user" text NOT NULL COLLATE pg_catalog."C",
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    handed_at timestamp with time zone,
    event_id text COLLATE pg_catalog."C",
    event text COLLATE pg_catalog."C",
    message text COLLATE pg_catalog."C",
    image json,
    target json
);
CREATE TABLE public.webhook_payloads (
    delivery text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    image json NOT NULL,
    target json
);
CREATE TABLE public.webhook_rotations (
    webhook text NOT NULL COLLATE pg_catalog."C",
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    "user" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    url text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    events text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    secret text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_secret text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    enabled boolean DEFAULT false NOT NULL,
    format text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    api_key text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    smsgate_event text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    smsgate_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created public.pb_date,
    updated public.pb_date,
    _rowid bigint NOT NULL
)
WITH (autovacuum_analyze_threshold='250', autovacuum_analyze_scale_factor='0.02');
ALTER TABLE public.webhooks ALTER COLUMN _rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhooks__rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('pbc_2279338944', '_mfas', '{"id":"pbc_2279338944","listRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","viewRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","createRule":null,"updateRule":null,"deleteRule":null,"name":"_mfas","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text455797646","max":0,"min":0,"name":"collectionRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text127846527","max":0,"min":0,"name":"recordRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1582905952","max":0,"min":0,"name":"method","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":true,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":true,"type":"autodate"}],"indexes":["CREATE INDEX `idx_mfas_collectionRef_recordRef` ON `_mfas` (collectionRef,recordRef)"],"created":"2026-11-22 09:25:32.025Z","updated":"2026-11-22 09:25:32.025Z","system":true}', 1);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('pbc_1638494021', '_otps', '{"id":"pbc_1638494021","listRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","viewRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","createRule":null,"updateRule":null,"deleteRule":null,"name":"_otps","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text455797646","max":0,"min":0,"name":"collectionRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text127846527","max":0,"min":0,"name":"recordRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"cost":8,"help":"","hidden":true,"id":"password901924565","max":0,"min":0,"name":"password","pattern":"","presentable":false,"required":true,"system":true,"type":"password"},{"autogeneratePattern":"","help":"","hidden":true,"id":"text3866985172","max":0,"min":0,"name":"sentTo","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":true,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":true,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":true,"type":"autodate"}],"indexes":["CREATE INDEX `idx_otps_collectionRef_recordRef` ON `_otps` (collectionRef, recordRef)"],"created":"2026-11-22 09:25:32.125Z","updated":"2026-11-22 09:25:32.125Z","system":true}', 2);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('pbc_2281828961', '_externalAuths', '{"id":"pbc_2281828961","listRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","viewRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","createRule":null,"updateRule":null,"deleteRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","name":"_externalAuths","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text455797646","max":0,"min":0,"name":"collectionRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text127846527","max":0,"min":0,"name":"recordRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text2462348188","max":0,"min":0,"name":"provider","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1044722854","max":0,"min":0,"name":"providerId","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":true,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":true,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_externalAuths_record_provider` ON `_externalAuths` (collectionRef, recordRef, provider)","CREATE UNIQUE INDEX `idx_externalAuths_collection_provider` ON `_externalAuths` (collectionRef, provider, providerId)"],"created":"2026-11-22 09:25:32.171Z","updated":"2026-11-22 09:25:32.171Z","system":true}', 3);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('pbc_4275539003', '_authOrigins', '{"id":"pbc_4275539003","listRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","viewRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","createRule":null,"updateRule":null,"deleteRule":"@request.auth.id != '''' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId","name":"_authOrigins","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text455797646","max":0,"min":0,"name":"collectionRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text127846527","max":0,"min":0,"name":"recordRef","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text4228609354","max":0,"min":0,"name":"fingerprint","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":true,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":true,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_authOrigins_unique_pairs` ON `_authOrigins` (collectionRef, recordRef, fingerprint)"],"created":"2026-11-22 09:25:32.259Z","updated":"2026-11-22 09:25:32.259Z","system":true}', 4);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('pbc_3142635823', '_superusers', '{"id":"pbc_3142635823","listRule":null,"viewRule":null,"createRule":null,"updateRule":null,"deleteRule":null,"name":"_superusers","type":"auth","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cost":0,"help":"","hidden":true,"id":"password901924565","max":0,"min":8,"name":"password","pattern":"","presentable":false,"required":true,"system":true,"type":"password"},{"autogeneratePattern":"[a-zA-Z0-9]{50}","help":"","hidden":true,"id":"text2504183744","max":60,"min":30,"name":"tokenKey","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"exceptDomains":null,"help":"","hidden":false,"id":"email3885137012","name":"email","onlyDomains":null,"presentable":false,"required":true,"system":true,"type":"email"},{"help":"","hidden":false,"id":"bool1547992806","name":"emailVisibility","presentable":false,"required":false,"system":true,"type":"bool"},{"help":"","hidden":false,"id":"bool256245529","name":"verified","presentable":false,"required":false,"system":true,"type":"bool"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":true,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":true,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_tokenKey_pbc_3142635823` ON `_superusers` (`tokenKey`)","CREATE UNIQUE INDEX `idx_email_pbc_3142635823` ON `_superusers` (`email`) WHERE `email` != ''''"],"created":"2026-11-22 09:25:32.342Z","updated":"2026-11-22 09:25:32.342Z","system":true,"authRule":"","manageRule":null,"authAlert":{"enabled":true,"emailTemplate":{"subject":"Login from a new location","body":"<p>Hello,</p>\n<p>We noticed a login to your {APP_NAME} account from a new location:</p>\n<p><em>{ALERT_INFO}</em></p>\n<p><strong>If this wasn''t you, you should immediately change your {APP_NAME} account password to revoke access from all other locations.</strong></p>\n<p>If this was you, you may disregard this email.</p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}},"oauth2":{"providers":[],"mappedFields":{"id":"","name":"","username":"","avatarURL":""},"enabled":false},"passwordAuth":{"enabled":true,"identityFields":["email"]},"mfa":{"enabled":false,"duration":600,"rule":""},"otp":{"enabled":false,"duration":180,"length":8,"emailTemplate":{"subject":"OTP for {APP_NAME}","body":"<p>Hello,</p>\n<p>Your one-time password is: <strong>{OTP}</strong></p>\n<p><i>If you didn''t ask for the one-time password, you can ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}},"authToken":{"secret":"hPmTSGCVkhhwa6t36QcDYmU4z8m1CGpxxjEV5807M2xoYOOh4R","duration":86400},"passwordResetToken":{"secret":"HKI7KL5VEWeibKNoXf081sdoSq5SziXAcM8aDPn0cg0IpCg6Vy","duration":1800},"emailChangeToken":{"secret":"ZJ5qVUDx5mh7z87TSiGpTxTGZ03dn7g1n5PYIES2xpj4ijZt7H","duration":1800},"verificationToken":{"secret":"BoiuCh37NvhJsdkccKrOMlZeaHYTCRBfPK28ZeaTiGasG14YuM","duration":86400},"fileToken":{"secret":"dYbsyCX3ECnfEbNRJUBD6HxR7yvnrZmIfuP8H360V0kBZ3sasf","duration":180},"verificationTemplate":{"subject":"Verify your {APP_NAME} email","body":"<p>Hello,</p>\n<p>Thank you for joining us at {APP_NAME}.</p>\n<p>Click on the button below to verify your email address.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-verification/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Verify</a>\n</p>\n<p><i>If you didn''t recently register, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"},"resetPasswordTemplate":{"subject":"Reset your {APP_NAME} password","body":"<p>Hello,</p>\n<p>Click on the button below to reset your password.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-password-reset/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Reset password</a>\n</p>\n<p><i>If you didn''t ask to reset your password, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"},"confirmEmailChangeTemplate":{"subject":"Confirm your {APP_NAME} new email address","body":"<p>Hello,</p>\n<p>Click on the button below to confirm your new email address.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-email-change/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Confirm new email</a>\n</p>\n<p><i>If you didn''t ask to change your email address, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}}', 5);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('_pb_users_auth_', 'users', '{"id":"_pb_users_auth_","listRule":"id = @request.auth.id","viewRule":"id = @request.auth.id","createRule":null,"updateRule":"id = @request.auth.id && @request.body.monthly_quota:isset = false","deleteRule":"id = @request.auth.id","name":"users","type":"auth","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"number2944718437","max":null,"min":0,"name":"monthly_quota","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"},{"cost":0,"help":"","hidden":true,"id":"password901924565","max":0,"min":8,"name":"password","pattern":"","presentable":false,"required":true,"system":true,"type":"password"},{"autogeneratePattern":"[a-zA-Z0-9]{50}","help":"","hidden":true,"id":"text2504183744","max":60,"min":30,"name":"tokenKey","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"exceptDomains":null,"help":"","hidden":false,"id":"email3885137012","name":"email","onlyDomains":null,"presentable":false,"required":true,"system":true,"type":"email"},{"help":"","hidden":false,"id":"bool1547992806","name":"emailVisibility","presentable":false,"required":false,"system":true,"type":"bool"},{"help":"","hidden":false,"id":"bool256245529","name":"verified","presentable":false,"required":false,"system":true,"type":"bool"}],"indexes":["CREATE UNIQUE INDEX `idx_tokenKey__pb_users_auth_` ON `users` (`tokenKey`)","CREATE UNIQUE INDEX `idx_email__pb_users_auth_` ON `users` (`email`) WHERE `email` != ''''"],"created":"2026-11-22 09:25:32.404Z","updated":"2026-11-22 09:25:32.404Z","system":false,"authRule":"","manageRule":null,"authAlert":{"enabled":true,"emailTemplate":{"subject":"Login from a new location","body":"<p>Hello,</p>\n<p>We noticed a login to your {APP_NAME} account from a new location:</p>\n<p><em>{ALERT_INFO}</em></p>\n<p><strong>If this wasn''t you, you should immediately change your {APP_NAME} account password to revoke access from all other locations.</strong></p>\n<p>If this was you, you may disregard this email.</p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}},"oauth2":{"providers":[],"mappedFields":{"id":"","name":"","username":"","avatarURL":""},"enabled":false},"passwordAuth":{"enabled":true,"identityFields":["email"]},"mfa":{"enabled":false,"duration":600,"rule":""},"otp":{"enabled":false,"duration":180,"length":8,"emailTemplate":{"subject":"OTP for {APP_NAME}","body":"<p>Hello,</p>\n<p>Your one-time password is: <strong>{OTP}</strong></p>\n<p><i>If you didn''t ask for the one-time password, you can ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}},"authToken":{"secret":"FLhJ6fSxCCtrpRZjE25ayFbaf1sOGIQsOpTze2NUtBZhzJfFSU","duration":432000},"passwordResetToken":{"secret":"rnuxbqRWSq9GDS3URP2WIdL0KcFX6dTSLu6wjWj3SthHgF7kee","duration":1800},"emailChangeToken":{"secret":"Ule6JkaMDqASt7OuB4JowlAKG1PZEQNfZVcBj9GzbVAltRHNVL","duration":1800},"verificationToken":{"secret":"TdHpyeShJd6ejsBQ9dzsCQFQniqnVmXpxnER5IZHMwgPkOuEU4","duration":86400},"fileToken":{"secret":"7ymKgsn3dYsLupw0pOGnzx46PZQ3qIwykrSoBtrO6nO2YNeDLA","duration":180},"verificationTemplate":{"subject":"Verify your {APP_NAME} email","body":"<p>Hello,</p>\n<p>Thank you for joining us at {APP_NAME}.</p>\n<p>Click on the button below to verify your email address.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-verification/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Verify</a>\n</p>\n<p><i>If you didn''t recently register, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"},"resetPasswordTemplate":{"subject":"Reset your {APP_NAME} password","body":"<p>Hello,</p>\n<p>Click on the button below to reset your password.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-password-reset/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Reset password</a>\n</p>\n<p><i>If you didn''t ask to reset your password, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"},"confirmEmailChangeTemplate":{"subject":"Confirm your {APP_NAME} new email address","body":"<p>Hello,</p>\n<p>Click on the button below to confirm your new email address.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-email-change/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Confirm new email</a>\n</p>\n<p><i>If you didn''t ask to change your email address, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}}', 6);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('devices', 'devices', '{"id":"devices","listRule":"user = @request.auth.id || id = @request.auth.id","viewRule":"user = @request.auth.id || id = @request.auth.id","createRule":null,"updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id)","deleteRule":"user = @request.auth.id","name":"devices","type":"auth","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"exceptDomains":null,"help":"","hidden":false,"id":"email3885137012","name":"email","onlyDomains":null,"presentable":false,"required":false,"system":true,"type":"email"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1146066909","max":0,"min":0,"name":"phone","pattern":"^\\+[1-9][0-9]{1,14}$","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"select961728715","maxSelect":1,"name":"platform","presentable":false,"required":false,"system":false,"type":"select","values":["android","modem","simulator","other"]},{"help":"","hidden":false,"id":"bool1358543748","name":"enabled","presentable":false,"required":false,"system":false,"type":"bool"},{"help":"","hidden":false,"id":"date846843460","max":"","min":"","name":"last_seen","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"number4290218420","max":null,"min":0,"name":"daily_limit","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number3890162848","max":null,"min":0,"name":"per_minute","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"json110564781","maxSize":0,"name":"sims","presentable":false,"required":false,"system":false,"type":"json"},{"help":"","hidden":true,"id":"json1597642340","maxSize":0,"name":"push","presentable":false,"required":false,"system":false,"type":"json"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"},{"cost":0,"help":"","hidden":true,"id":"password901924565","max":0,"min":8,"name":"password","pattern":"","presentable":false,"required":true,"system":true,"type":"password"},{"autogeneratePattern":"[a-zA-Z0-9]{50}","help":"","hidden":true,"id":"text2504183744","max":60,"min":30,"name":"tokenKey","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":true,"type":"text"},{"help":"","hidden":false,"id":"bool1547992806","name":"emailVisibility","presentable":false,"required":false,"system":true,"type":"bool"},{"help":"","hidden":false,"id":"bool256245529","name":"verified","presentable":false,"required":false,"system":true,"type":"bool"}],"indexes":["CREATE INDEX `idx_devices_user` ON `devices` (`user`)","CREATE UNIQUE INDEX `idx_tokenKey_devices` ON `devices` (`tokenKey`)","CREATE UNIQUE INDEX `idx_email_devices` ON `devices` (`email`) WHERE `email` != ''''"],"created":"2026-11-22 09:25:32.546Z","updated":"2026-11-22 09:25:32.546Z","system":false,"authRule":"","manageRule":null,"authAlert":{"enabled":true,"emailTemplate":{"subject":"Login from a new location","body":"<p>Hello,</p>\n<p>We noticed a login to your {APP_NAME} account from a new location:</p>\n<p><em>{ALERT_INFO}</em></p>\n<p><strong>If this wasn''t you, you should immediately change your {APP_NAME} account password to revoke access from all other locations.</strong></p>\n<p>If this was you, you may disregard this email.</p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}},"oauth2":{"providers":[],"mappedFields":{"id":"","name":"","username":"","avatarURL":""},"enabled":false},"passwordAuth":{"enabled":false,"identityFields":["email"]},"mfa":{"enabled":false,"duration":600,"rule":""},"otp":{"enabled":false,"duration":180,"length":8,"emailTemplate":{"subject":"OTP for {APP_NAME}","body":"<p>Hello,</p>\n<p>Your one-time password is: <strong>{OTP}</strong></p>\n<p><i>If you didn''t ask for the one-time password, you can ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}},"authToken":{"secret":"5r3ZrAmZHTp7A4lyw4ZFqYH4Votju7kO82GX3cyoWpsOOScDNS","duration":31536000},"passwordResetToken":{"secret":"OTGNo7w7ayKbaMhkiVidTsYpofCkiToVhWrEY7bE2EHj3su8Mb","duration":1800},"emailChangeToken":{"secret":"GIcl3pWTuSpBHOldDeGmmcheQkHB3h6leuef4jAENYJvwZyY78","duration":1800},"verificationToken":{"secret":"0kZdcubMIMpqr4x5PGPbuHkS5s1SmjZpcWLpa6Ri4SjclksZhC","duration":86400},"fileToken":{"secret":"weLCVAiKCvVq5Hz4wq9bml00O6nNtV5mGToTBoNWDx6V4sjm9E","duration":180},"verificationTemplate":{"subject":"Verify your {APP_NAME} email","body":"<p>Hello,</p>\n<p>Thank you for joining us at {APP_NAME}.</p>\n<p>Click on the button below to verify your email address.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-verification/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Verify</a>\n</p>\n<p><i>If you didn''t recently register, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"},"resetPasswordTemplate":{"subject":"Reset your {APP_NAME} password","body":"<p>Hello,</p>\n<p>Click on the button below to reset your password.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-password-reset/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Reset password</a>\n</p>\n<p><i>If you didn''t ask to reset your password, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"},"confirmEmailChangeTemplate":{"subject":"Confirm your {APP_NAME} new email address","body":"<p>Hello,</p>\n<p>Click on the button below to confirm your new email address.</p>\n<p>\n  <a class=\"btn\" href=\"{APP_URL}/_/#/auth/confirm-email-change/{TOKEN}\" target=\"_blank\" rel=\"noopener\">Confirm new email</a>\n</p>\n<p><i>If you didn''t ask to change your email address, please ignore this email.</i></p>\n<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>"}}', 7);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('contact_groups', 'contact_groups', '{"id":"contact_groups","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id","updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id)","deleteRule":"user = @request.auth.id","name":"contact_groups","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_contact_groups_user_name` ON `contact_groups` (`user`, `name`)"],"created":"2026-11-22 09:25:32.666Z","updated":"2026-11-22 09:25:32.666Z","system":false}', 8);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('contacts', 'contacts', '{"id":"contacts","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id && (groups:length = 0 || groups.user = @request.auth.id)","updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id) && (@request.body.groups:isset = false || @request.body.groups:length = 0 || @request.body.groups.user = @request.auth.id)","deleteRule":"user = @request.auth.id","name":"contacts","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1146066909","max":0,"min":0,"name":"phone","pattern":"^\\+[1-9][0-9]{1,14}$","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"cascadeDelete":false,"collectionId":"contact_groups","help":"","hidden":false,"id":"relation4033689968","maxSelect":999,"minSelect":0,"name":"groups","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"bool820697960","name":"opted_out","presentable":false,"required":false,"system":false,"type":"bool"},{"help":"","hidden":false,"id":"json2918445923","maxSize":0,"name":"data","presentable":false,"required":false,"system":false,"type":"json"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_contacts_user_phone` ON `contacts` (`user`, `phone`)"],"created":"2026-11-22 09:25:32.736Z","updated":"2026-11-22 09:25:32.736Z","system":false}', 9);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('sms_templates', 'sms_templates', '{"id":"sms_templates","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id","updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id)","deleteRule":"user = @request.auth.id","name":"sms_templates","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3685223346","max":1600,"min":0,"name":"body","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE INDEX `idx_sms_templates_user` ON `sms_templates` (`user`)"],"created":"2026-11-22 09:25:32.816Z","updated":"2026-11-22 09:25:32.816Z","system":false}', 10);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('sms_messages', 'sms_messages', '{"id":"sms_messages","listRule":"(@request.auth.collectionName = \"users\" && user = @request.auth.id) || (@request.auth.collectionName = \"devices\" && device = @request.auth.id)","viewRule":"(@request.auth.collectionName = \"users\" && user = @request.auth.id) || (@request.auth.collectionName = \"devices\" && device = @request.auth.id)","createRule":null,"updateRule":null,"deleteRule":"user = @request.auth.id","name":"sms_messages","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"help":"","hidden":false,"id":"select2063623452","maxSelect":1,"name":"status","presentable":false,"required":true,"system":false,"type":"select","values":["pending","assigned","sending","sent","delivered","failed","received"]},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3616002756","max":0,"min":0,"name":"to","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3105530224","max":0,"min":0,"name":"from","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3685223346","max":1600,"min":0,"name":"body","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"select625724656","maxSelect":1,"name":"message_type","presentable":false,"required":true,"system":false,"type":"select","values":["outgoing","incoming"]},{"cascadeDelete":false,"collectionId":"devices","help":"","hidden":false,"id":"relation154121870","maxSelect":1,"minSelect":0,"name":"device","presentable":false,"required":false,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text4087266938","max":0,"min":0,"name":"batch_id","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"number651090729","max":null,"min":0,"name":"segments","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number1655102503","max":127,"min":-128,"name":"priority","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number785039888","max":8,"min":0,"name":"sim","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"date164390390","max":"","min":"","name":"scheduled_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"date261981154","max":"","min":"","name":"expires_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"select1485936856","maxSelect":1,"name":"guarantee","presentable":false,"required":false,"system":false,"type":"select","values":["at_most_once","at_least_once"]},{"autogeneratePattern":"","help":"","hidden":false,"id":"text868986119","max":255,"min":0,"name":"client_ref","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"date2531586952","max":"","min":"","name":"sent_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"date381301211","max":"","min":"","name":"delivered_at","presentable":false,"required":false,"system":false,"type":"date"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text737763667","max":0,"min":0,"name":"error_message","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE INDEX `idx_sms_messages_user_created` ON `sms_messages` (`user`, `created`)","CREATE INDEX `idx_sms_messages_device_status` ON `sms_messages` (`device`, `status`)","CREATE INDEX `idx_sms_messages_batch` ON `sms_messages` (`batch_id`)","CREATE UNIQUE INDEX `idx_sms_messages_client_ref` ON `sms_messages` (`user`, `client_ref`) WHERE `client_ref` != ''''"],"created":"2026-11-22 09:25:32.915Z","updated":"2026-11-22 09:25:32.915Z","system":false}', 11);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('user_settings', 'user_settings', '{"id":"user_settings","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id","updateRule":"user = @request.auth.id","deleteRule":null,"name":"user_settings","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"bool2231267043","name":"disabled","presentable":false,"required":false,"system":false,"type":"bool"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1400097126","max":0,"min":0,"name":"country","pattern":"^[A-Z]{2}$","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text223791402","max":64,"min":0,"name":"time_zone","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"number2676062200","max":10080,"min":0,"name":"reply_mail_minutes","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_user_settings_user` ON `user_settings` (`user`)"],"created":"2026-11-22 09:25:33.014Z","updated":"2026-11-22 09:25:33.014Z","system":false}', 12);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('conversations', 'conversations', '{"id":"conversations","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id","updateRule":"user = @request.auth.id && @request.body.user:isset = false && @request.body.number:isset = false && @request.body.name:isset = false && @request.body.last_text:isset = false && @request.body.last_at:isset = false && @request.body.last_type:isset = false && @request.body.last_message:isset = false && @request.body.device:isset = false && @request.body.unanswered:isset = false","deleteRule":"user = @request.auth.id","name":"conversations","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text2526027604","max":255,"min":0,"name":"number","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text2912969627","max":1600,"min":0,"name":"last_text","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"date76746378","max":"","min":"","name":"last_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"select452301685","maxSelect":1,"name":"last_type","presentable":false,"required":false,"system":false,"type":"select","values":["outgoing","incoming"]},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3492875319","max":0,"min":0,"name":"last_message","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"cascadeDelete":false,"collectionId":"devices","help":"","hidden":false,"id":"relation154121870","maxSelect":1,"minSelect":0,"name":"device","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"number1966893702","max":null,"min":0,"name":"unread","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"bool1864313117","name":"unanswered","presentable":false,"required":false,"system":false,"type":"bool"},{"help":"","hidden":false,"id":"bool1639016958","name":"archived","presentable":false,"required":false,"system":false,"type":"bool"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_conversations_user_number` ON `conversations` (`user`, `number`)"],"created":"2026-11-22 09:25:33.094Z","updated":"2026-11-22 09:25:33.094Z","system":false}', 13);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('campaigns', 'campaigns', '{"id":"campaigns","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":null,"updateRule":null,"deleteRule":"user = @request.auth.id && (status = \"done\" || status = \"canceled\" || status = \"failed\")","name":"campaigns","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3685223346","max":1600,"min":0,"name":"body","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"cascadeDelete":false,"collectionId":"sms_templates","help":"","hidden":false,"id":"relation2539659139","maxSelect":1,"minSelect":0,"name":"template","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"json2295037201","maxSize":0,"name":"variables","presentable":false,"required":false,"system":false,"type":"json"},{"cascadeDelete":false,"collectionId":"contact_groups","help":"","hidden":false,"id":"relation4033689968","maxSelect":100,"minSelect":0,"name":"groups","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"json342241988","maxSize":0,"name":"recipients","presentable":false,"required":false,"system":false,"type":"json"},{"help":"","hidden":false,"id":"date164390390","max":"","min":"","name":"scheduled_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"date261981154","max":"","min":"","name":"expires_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"select2063623452","maxSelect":1,"name":"status","presentable":false,"required":true,"system":false,"type":"select","values":["scheduled","sending","paused","canceled","done","failed"]},{"cascadeDelete":false,"collectionId":"devices","help":"","hidden":false,"id":"relation154121870","maxSelect":1,"minSelect":0,"name":"device","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"number785039888","max":8,"min":0,"name":"sim","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number1655102503","max":127,"min":-128,"name":"priority","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"select1485936856","maxSelect":1,"name":"guarantee","presentable":false,"required":false,"system":false,"type":"select","values":["at_most_once","at_least_once"]},{"autogeneratePattern":"","help":"","hidden":false,"id":"text4087266938","max":0,"min":0,"name":"batch_id","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"number1835210188","max":null,"min":0,"name":"revision","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number1528544457","max":null,"min":0,"name":"recipients_count","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number651090729","max":null,"min":0,"name":"segments","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1574812785","max":0,"min":0,"name":"error","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"json4033766739","maxSize":0,"name":"batches","presentable":false,"required":false,"system":false,"type":"json"},{"autogeneratePattern":"","help":"","hidden":true,"id":"text732697","max":0,"min":0,"name":"former_batch","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":true,"id":"json4258108440","maxSize":0,"name":"audience","presentable":false,"required":false,"system":false,"type":"json"},{"help":"","hidden":true,"id":"bool3812815362","name":"settled","presentable":false,"required":false,"system":false,"type":"bool"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE INDEX `idx_campaigns_user_created` ON `campaigns` (`user`, `created`)"],"created":"2026-11-22 09:25:33.162Z","updated":"2026-11-22 09:25:33.162Z","system":false}', 14);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('api_keys', 'api_keys', '{"id":"api_keys","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id","updateRule":null,"deleteRule":"user = @request.auth.id","name":"api_keys","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1579384326","max":255,"min":0,"name":"name","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text2477885070","max":0,"min":0,"name":"prefix","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":true,"id":"text3518522040","max":0,"min":0,"name":"hash","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"date261981154","max":"","min":"","name":"expires_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"date1644068338","max":"","min":"","name":"last_used_at","presentable":false,"required":false,"system":false,"type":"date"},{"help":"","hidden":false,"id":"select81060656","maxSelect":17,"name":"scopes","presentable":false,"required":false,"system":false,"type":"select","values":["messages:send","messages:read","messages:list","messages:cancel","messages:export","devices:list","devices:delete","webhooks:list","webhooks:write","webhooks:delete","settings:read","settings:write","inbox:list","inbox:refresh","logs:read","tokens:manage","all:any"]},{"help":"","hidden":false,"id":"bool72545345","name":"twilio","presentable":false,"required":false,"system":false,"type":"bool"},{"autogeneratePattern":"","help":"","hidden":true,"id":"text4031914570","max":0,"min":0,"name":"signing","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_api_keys_hash` ON `api_keys` (`hash`) WHERE `hash` != ''''","CREATE INDEX `idx_api_keys_user` ON `api_keys` (`user`)"],"created":"2026-11-22 09:25:33.214Z","updated":"2026-11-22 09:25:33.214Z","system":false}', 15);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('webhooks', 'webhooks', '{"id":"webhooks","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":"user = @request.auth.id","updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id)","deleteRule":"user = @request.auth.id","name":"webhooks","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"exceptDomains":null,"help":"","hidden":false,"id":"url4101391790","name":"url","onlyDomains":null,"presentable":false,"required":true,"system":false,"type":"url"},{"help":"","hidden":false,"id":"select1401378634","maxSelect":4,"name":"events","presentable":false,"required":true,"system":false,"type":"select","values":["message.sent","message.delivered","message.failed","message.received"]},{"autogeneratePattern":"","help":"","hidden":true,"id":"text1554180325","max":0,"min":0,"name":"secret","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":true,"id":"text2839991371","max":0,"min":0,"name":"previous_secret","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"bool1358543748","name":"enabled","presentable":false,"required":false,"system":false,"type":"bool"},{"help":"","hidden":false,"id":"select3736761055","maxSelect":1,"name":"format","presentable":false,"required":false,"system":false,"type":"select","values":["twilio"]},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3373460893","max":0,"min":0,"name":"api_key","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"cascadeDelete":true,"collectionId":"devices","help":"","hidden":false,"id":"relation154121870","maxSelect":1,"minSelect":0,"name":"device","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"select1351892610","maxSelect":1,"name":"smsgate_event","presentable":false,"required":false,"system":false,"type":"select","values":["sms:received","sms:data-received","sms:sent","sms:delivered","sms:failed","sms:cancelled"]},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1695831525","max":36,"min":0,"name":"smsgate_id","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE INDEX `idx_webhooks_user` ON `webhooks` (`user`)","CREATE UNIQUE INDEX `idx_webhooks_smsgate` ON `webhooks` (`user`, `smsgate_id`) WHERE `smsgate_id` != ''''"],"created":"2026-11-22 09:25:33.266Z","updated":"2026-11-22 09:25:33.266Z","system":false}', 16);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('sms_usage', 'sms_usage', '{"id":"sms_usage","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":null,"updateRule":null,"deleteRule":null,"name":"sms_usage","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text3317178062","max":0,"min":0,"name":"period","pattern":"^[0-9]{4}-[0-9]{2}$","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"help":"","hidden":false,"id":"number2034721560","max":null,"min":0,"name":"used","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number1813778413","max":null,"min":0,"name":"quota","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE UNIQUE INDEX `idx_sms_usage_user_period` ON `sms_usage` (`user`, `period`)"],"created":"2026-11-22 09:25:33.490Z","updated":"2026-11-22 09:25:33.490Z","system":false}', 17);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('sms_events', 'sms_events', '{"id":"sms_events","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":null,"updateRule":null,"deleteRule":null,"name":"sms_events","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"cascadeDelete":true,"collectionId":"sms_messages","help":"","hidden":false,"id":"relation3065852031","maxSelect":1,"minSelect":0,"name":"message","presentable":false,"required":true,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"select2063623452","maxSelect":1,"name":"status","presentable":false,"required":true,"system":false,"type":"select","values":["pending","assigned","sending","sent","delivered","failed","received"]},{"cascadeDelete":false,"collectionId":"devices","help":"","hidden":false,"id":"relation154121870","maxSelect":1,"minSelect":0,"name":"device","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"number418120294","max":null,"min":0,"name":"attempt","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text772177811","max":0,"min":0,"name":"detail","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE INDEX `idx_sms_events_message` ON `sms_events` (`message`, `created`)","CREATE INDEX `idx_sms_events_user` ON `sms_events` (`user`, `created`)"],"created":"2026-11-22 09:25:33.687Z","updated":"2026-11-22 09:25:33.687Z","system":false}', 18);
INSERT INTO public._collections OVERRIDING SYSTEM VALUE VALUES ('webhook_deliveries', 'webhook_deliveries', '{"id":"webhook_deliveries","listRule":"user = @request.auth.id","viewRule":"user = @request.auth.id","createRule":null,"updateRule":null,"deleteRule":null,"name":"webhook_deliveries","type":"base","fields":[{"autogeneratePattern":"[a-z0-9]{15}","help":"","hidden":false,"id":"text3208210256","max":15,"min":15,"name":"id","pattern":"^[a-z0-9]+$","presentable":false,"primaryKey":true,"required":true,"system":true,"type":"text"},{"cascadeDelete":true,"collectionId":"_pb_users_auth_","help":"","hidden":false,"id":"relation2375276105","maxSelect":1,"minSelect":0,"name":"user","presentable":false,"required":true,"system":false,"type":"relation"},{"cascadeDelete":true,"collectionId":"webhooks","help":"","hidden":false,"id":"relation2322863958","maxSelect":1,"minSelect":0,"name":"webhook","presentable":false,"required":true,"system":false,"type":"relation"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1912072331","max":0,"min":0,"name":"event_id","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1001261735","max":0,"min":0,"name":"event","pattern":"","presentable":false,"primaryKey":false,"required":true,"system":false,"type":"text"},{"cascadeDelete":true,"collectionId":"sms_messages","help":"","hidden":false,"id":"relation3065852031","maxSelect":1,"minSelect":0,"name":"message","presentable":false,"required":false,"system":false,"type":"relation"},{"help":"","hidden":false,"id":"select2063623452","maxSelect":1,"name":"status","presentable":false,"required":true,"system":false,"type":"select","values":["pending","delivered","failed"]},{"help":"","hidden":false,"id":"number3217549156","max":null,"min":0,"name":"attempts","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"number276513331","max":null,"min":null,"name":"response_status","onlyInt":true,"presentable":false,"required":false,"system":false,"type":"number"},{"autogeneratePattern":"","help":"","hidden":false,"id":"text1997078824","max":1024,"min":0,"name":"response_body","pattern":"","presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"},{"help":"","hidden":false,"id":"number372847879","max":null,"min":0,"name":"latency_ms","onlyInt":false,"presentable":false,"required":false,"system":false,"type":"number"},{"help":"","hidden":false,"id":"date3681079236","max":"","min":"","name":"next_attempt_at","presentable":false,"required":false,"system":false,"type":"date"},{"hidden":false,"id":"autodate2990389176","name":"created","onCreate":true,"onUpdate":false,"presentable":false,"system":false,"type":"autodate"},{"hidden":false,"id":"autodate3332085495","name":"updated","onCreate":true,"onUpdate":true,"presentable":false,"system":false,"type":"autodate"}],"indexes":["CREATE INDEX `idx_webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook`, `created`)","CREATE INDEX `idx_webhook_deliveries_user` ON `webhook_deliveries` (`user`, `created`)"],"created":"2026-11-22 09:25:33.711Z","updated":"2026-11-22 09:25:33.711Z","system":false}', 19);
INSERT INTO public._functions VALUES ('auth_give_back', 'f0b0d43f1938fce4b7786541253f12277a8c6231d60f11cf0f89af74dbc91ed0');
INSERT INTO public._functions VALUES ('auth_take_tries', 'acbcfc167b7535a9d5e89fe85d085245a0b3fb47e9a03df8275b0504aa487fc6');
INSERT INTO public._functions VALUES ('json_array_length', '6a611e4ecaec66f09cd12087a8bebc6b0f2be016cddb2bebaee4d30d5b63cae6');
INSERT INTO public._functions VALUES ('json_each', '286044c8ce41cefd801940814da5d25b052cafd5057c2c3f0e8bf7784a47b289');
INSERT INTO public._functions VALUES ('json_extract', '66c447e8b0bac0ccfc8006cab2090236a339c1942a91766cfcb860bfba704bf9');
INSERT INTO public._functions VALUES ('pb_arrow', '259cb75a8940e081b73c6c4c1b55e428e489cb84ad1d1678f9b24fed15da1112');
INSERT INTO public._functions VALUES ('pb_arrow_text', '875777907c497223800eb46c3ac2953981e0d18ebf844415e1b7966e824d994c');
INSERT INTO public._functions VALUES ('pb_is_set', '514a37cd049a5c27d8f6a86cfcfe518e4b17a8f48ed75b0ff52532296da954da');
INSERT INTO public._functions VALUES ('pb_json', '81ce469b49b8e1ffb0c41004fe9e790ad6fdfc740f5fb5e6d3ae2120206ba937');
INSERT INTO public._functions VALUES ('pb_json_at', '137feb8acb3faa9c1fc2ef83c068568794e63c3f6bb0c5fc25820f65919b349a');
INSERT INTO public._functions VALUES ('pb_json_length', '15d1a651c754040ef0dbe4fc6c6b96cbbc7498fa84dd7f510c21639d264f37a1');
INSERT INTO public._functions VALUES ('pb_json_number', '1deb73ef279a55a99f1893831ef66434ed2b441e465810c9558c93e7b8782763');
INSERT INTO public._functions VALUES ('pb_json_numeric', 'f635c7c863bda9841b8558df92fe29fec0ed641ee1bac5b2f0d9efe83c1d1127');
INSERT INTO public._functions VALUES ('pb_json_of', '1f34f9b7d82c13b4db1247fb3f33f02c94449cbb1498aec8bd980e67d81333e7');
INSERT INTO public._functions VALUES ('pb_json_path', '15da411467b67c23674e69d5d93f661fed860d268513ea626bba9c65e3a5c8b7');
INSERT INTO public._functions VALUES ('pb_json_rank', '12b2a66127fd2f71b9bdea6951da644bb859fc2fcf0f62c557201d48fac0fc57');
INSERT INTO public._functions VALUES ('pb_json_string', 'a685c2d44ed422355db1874db52b904c4654dccae07ce8530bde380cf6b9aa13');
INSERT INTO public._functions VALUES ('pb_json_text', 'bf6ac0b404755a9b45431c6e7d6fefceb87ddaac2a8dff40ef9e87113815b432');
INSERT INTO public._functions VALUES ('_changes_note', '73e16a5b1cae4692cdfad93e69fb2c68e76e4c30caf987413bc823fb5b76b78c');
INSERT INTO public._functions VALUES ('_files_named', '48ebef095b704214945d80dc10310dcbc4f0ce0c1dc843e2e1da4b05f3c7fb4d');
INSERT INTO public._functions VALUES ('pb_new_id', '899c533e811196c06a545d6ee3a77b309355a7501cb9e4620879b84cd221740a');
INSERT INTO public._functions VALUES ('sms_accept', '62c85e28adf780fd53dddd64d8462ad4f22883dcf6aee9ba30f23d73e03e13f6');
INSERT INTO public._functions VALUES ('sms_accept_plain', '77f31f7d77a4964cff45bd7eff54edf72193d18f635c45704c6898fe94987699');
INSERT INTO public._functions VALUES ('sms_available_devices', 'df9874e5973e7f2f33fb7658cd94b7ccc92cbf3571cf60c353361bb43601b177');
INSERT INTO public._functions VALUES ('sms_conversation_answered', '795321f4f153e8f229b3aac8a99e6c78d1b5d29b912765e15ca4ceddb0d5efa1');
INSERT INTO public._functions VALUES ('sms_conversation_last', '8b8b2d8f31e293e196085b19cc6719e66d915bc709c3e5d668e1e105cc61cc98');
INSERT INTO public._functions VALUES ('sms_conversation_named', '75e2cc305f66f94c0b6b2ba3d568a8f94699239b54dea701c929bf1a30e10e64');
INSERT INTO public._functions VALUES ('sms_conversation_rename', '2aa35240453a8c45c0abeb29147b45b7744efba1d31333596149dc32aacc8995');
INSERT INTO public._functions VALUES ('sms_conversation_triggers', 'a1f4b4b3b166ebe271d14e2f337ecb79bd29db02c0871dde82aa50173ad88174');
INSERT INTO public._functions VALUES ('sms_count', '2eea7eb4d9ed561da2eae2acb4439fd71524825eb7a49ecfc865066a90fbad4a');
INSERT INTO public._functions VALUES ('sms_count_all', 'aa1524bac5f0823d9a0144313e82775356d02098633dd7ae5b4312c76e262b9d');
INSERT INTO public._functions VALUES ('sms_is_below_limits', 'c6b716f22db464f7c66ba413e09fa77b734a0eaa079754bcf2f06faca919b804');
INSERT INTO public._functions VALUES ('sms_messages_came', '39d3e6b164c200097ed481ce46053804b0832ad0a3f7150949a622de9ad3183f');
INSERT INTO public._functions VALUES ('sms_messages_emptied', '377418d2f5d2b7b6a95aeed9a9e17cad6e40f176c02db56e561dd7c1d3a40b31');
INSERT INTO public._functions VALUES ('sms_messages_moved', 'f941fc8268b640186b4838446e99c4cc3c46ea91ccb736609558a0bdd54785b2');
INSERT INTO public._functions VALUES ('sms_messages_went', '541da133018ae16883f6e51b91896e7a6ee760a7aaf040c54bf088b9bf54f329');
INSERT INTO public._functions VALUES ('sms_turns_went', 'd3751650b3d2d0c894e30b194402a22aa0521b4099b02efe3f6f29cc07ef9989');
INSERT INTO public._functions VALUES ('sms_wake_interval', 'f4afe33e3466b75aa067721c74dce53b61671a0ce58a2493362ab93ec6deea7a');
INSERT INTO public._functions VALUES ('pb_add_months', '6361cbc074d4c6c3175fda03bcdd9c91908002e7ac1ddbecf1f136ec3d2e34dd');
INSERT INTO public._functions VALUES ('pb_clock_ms', '51e7e8425c6572ca522772a45d05cb470f99903fc75bb684f35c6e78575c8bd9');
INSERT INTO public._functions VALUES ('pb_day', 'ee811e7efa13f375f609e6992131121be743183b366e05c78ad4cf9540b2b7a0');
INSERT INTO public._functions VALUES ('pb_day_time', '785f068c3a425df29e25eada1feabb765c5f935b513ab6a18c6daf2d35480e12');
INSERT INTO public._functions VALUES ('pb_digits', '8eba9badb929f0eb5f2266816692218ab59e7e6c6fd55a8a960d30d5d2881e73');
INSERT INTO public._functions VALUES ('pb_is_stored_date', '179bf616a883a8eba51f79a3e0202b91719c55b453f7814e2e956dfa33860e1c');
INSERT INTO public._functions VALUES ('pb_julian_ms', '6a430ecf1aedc6b8fba41d9d05a294c978d49e4f096e468e01c5800aa03e39ac');
INSERT INTO public._functions VALUES ('pb_strftime', '540e46c3e0249d3d3292bb7e64651f180f73e5bdb833489af595e399d5b3c225');
INSERT INTO public._functions VALUES ('pb_time', 'cbd4ff2c2bcaf8f93779bae2cd781af752e832dbac66af02e50b26f2ef9a4c42');
INSERT INTO public._functions VALUES ('pb_time_part', 'a01ba94ece793e0650818d6a211208fd28108fd111ce48125b8d3769a865b404');
INSERT INTO public._functions VALUES ('pb_time_shift', '4c1e1503dcb66ac16c7930c5b6a411e591cb589dfaf73547a51c567c3e7edd22');
INSERT INTO public._functions VALUES ('pb_ymd', '2b917aad9362d055732c0cd03d5ce1ba7a1880015f5c6415918ebdf08f6bdcdd');
INSERT INTO public._functions VALUES ('twilio_attach', 'ef3a03ee7573d54863acad962bc8c1beb69784c034d13a10ac17cba2c60182e2');
INSERT INTO public._functions VALUES ('twilio_events_noted', '41b4f3ace39babb04b7941ee4710e89997279e982a58b8cfbdeee62c1ba790f8');
INSERT INTO public._functions VALUES ('twilio_messages_went', '9a2e16234a2316553946f0a75a8232ea7117280ec3312d7cae7bc7e85869abd3');
INSERT INTO public._functions VALUES ('twilio_numbers_went', '8c9bdcaf6ec1f5fff3eb4141df81c766441557d76d45d969cfcefebdc96704e2');
INSERT INTO public._functions VALUES ('instr', 'eae949ffc5d5f7c5d17a04130505aa4243ce0bd6e629ac157e82e7b4bea8b466');
INSERT INTO public._functions VALUES ('pb_bool', '4d04dc1a5846e91d4bcaebefb64de178f3155a41a887511e2261c2cabe0ca427');
INSERT INTO public._functions VALUES ('pb_count_true', '39187a9b75904c2161109834404682005413994c95e959634c721822446c3952');
INSERT INTO public._functions VALUES ('pb_differ', '113832ac008186352b0164c60288a87395ec8e863410eb133bf378c36411a349');
INSERT INTO public._functions VALUES ('pb_equal', 'ec0eab9c0f6e12a0d49c88dd981a0b0888ddb8d79d351795d5c01034abd1d7e4');
INSERT INTO public._functions VALUES ('pb_float', '223e9e60eaf14e36433ee708d3dd2ca8b4ab1954f2986fbcac8c5410c3688514');
INSERT INTO public._functions VALUES ('pb_integer', '8ed0d89922e61191a7b8ff30e075215cdebdc7b6fc867b32d20da0f56fbfcdcd');
INSERT INTO public._functions VALUES ('pb_length', 'dfd02410b2d558d1ced385dfda7442fe60367162f72bf2bbb292125ff732a70b');
INSERT INTO public._functions VALUES ('pb_modulo', '952fd9141b52e2fa5a429d2f8c8cbe7bed87bc7ebc55cc55660018e2296e6120');
INSERT INTO public._functions VALUES ('pb_number_text', '8ee2a4391daede4e3eb245de8c9e2b515327f5433b5b48fad50f6709756a24c7');
INSERT INTO public._functions VALUES ('pb_numeric', '702b26974e9a51644be6198e64dc47563d6b1aef4a85eb5a9767f4e7c96ec50f');
INSERT INTO public._functions VALUES ('pb_real', '85c4d617d4a4190fabfcb059aac30b32bf25f9aa98af56f673bed0d09a85dc24');
INSERT INTO public._functions VALUES ('pb_real_text', '99dda9ca697cb0c6b3f3435dc7242278ffbc398a0d38de44b2d1af92364d8131');
INSERT INTO public._functions VALUES ('pb_round', '813bcfde8ea3628824d236b2de2c25782d068699684dbe046cfe8b5e367a580e');
INSERT INTO public._functions VALUES ('pb_substr', '341b82f113c3422fd9adf5802ba5b72513e8dfe466b36502c846e59eb9cc11af');
INSERT INTO public._functions VALUES ('pb_text', '932c2d8faafcc09c1ed408d25e6c372e8e56c4b4c1091baca5085eb4ffa9b768');
INSERT INTO public._functions VALUES ('pb_total_true', 'dde6e1348f75d30b7de95c022ebb6df249ad1eef14e800f7c4cdf07298432d69');
INSERT INTO public._functions VALUES ('pb_truth', '4a8a4700266d4768eab08d820805388535bd6f2c52688433346ea3f138312f6f');
INSERT INTO public._functions VALUES ('webhook_noted', 'bbc4bdf766c86c546c23f00ed48f6a9c8465ea6d0335b0718539245188f54625');
INSERT INTO public._migrations VALUES ('0001_start.sql', '2026-11-22 09:25:30.671653+00');
INSERT INTO public._migrations VALUES ('0003_sessions.sql', '2026-11-22 09:25:30.671653+00');
INSERT INTO public._migrations VALUES ('0006_notifications.sql', '2026-11-22 09:25:30.671653+00');
INSERT INTO public._migrations VALUES ('0012_smsgate_clients.sql', '2026-11-22 09:25:30.671653+00');
INSERT INTO public._migrations VALUES ('0013_smsgate_accounts.sql', '2026-11-22 09:25:30.671653+00');
INSERT INTO public._migrations VALUES ('0014_twilio.sql', '2026-11-22 09:25:30.671653+00');
INSERT INTO public._params VALUES ('views:2', '{}');
INSERT INTO public.backup_state VALUES (true, '2026-11-22 09:25:30.671653+00', NULL, NULL, NULL, NULL, NULL, NULL, '', '2026-11-22 09:25:30.671653+00', 0);
INSERT INTO public.device_handouts VALUES ('c00000000000000', '2026-11-22 09:25:34.889604+00', 2);
INSERT INTO public.devices OVERRIDING SYSTEM VALUE VALUES ('a00000000000000', '', 'ann000000000000', 'a00000000000000', '+4930100', '', true, '2099-01-01 00:00:00.000Z', 0, 0, 'null', NULL, '2026-01-05 09:00:00.000Z', '2026-01-05 09:00:00.000Z', 'none', 'a00000000000000', false, false, 1);
INSERT INTO public.devices OVERRIDING SYSTEM VALUE VALUES ('b00000000000000', '', 'ann000000000000', 'b00000000000000', '', '', true, '2099-01-01 00:00:00.000Z', 0, 0, '[{"slot":1,"number":"+4915111","carrier":"One"},{"slot":2,"carrier":"Two"}]', NULL, '2026-01-05 09:00:00.000Z', '2026-01-05 09:00:00.000Z', 'none', 'b00000000000000', false, false, 2);
INSERT INTO public.devices OVERRIDING SYSTEM VALUE VALUES ('c00000000000000', '', 'ben000000000000', 'c00000000000000', '', '', true, '2099-01-01 00:00:00.000Z', 3, 0, 'null', NULL, '2026-01-05 09:00:00.000Z', '2026-01-05 09:00:00.000Z', 'none', 'c00000000000000', false, false, 3);
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('uv96je1hu1htejw', 'ann000000000000', 'a00000000000000', false, 'assigned', '2026-11', 0, NULL, '2026-11-22 09:25:39.666+00', 1, NULL, NULL, 0, false, 1, '2026-11-22 09:25:34.680831+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('xbbsqyap5shonu7', 'ann000000000000', 'b00000000000000', false, 'assigned', '2026-11', 0, NULL, '2026-11-22 09:25:39.747+00', 1, NULL, NULL, 0, false, 2, '2026-11-22 09:25:34.747853+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('8r9snr44c0j69jb', 'ann000000000000', 'a00000000000000', false, 'assigned', '2026-11', 0, NULL, '2026-11-22 09:25:39.762+00', 1, NULL, NULL, 0, false, 3, '2026-11-22 09:25:34.76663+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('hxkpl8cln1eu60h', 'ann000000000000', 'b00000000000000', true, 'pending', '2026-11', 0, NULL, NULL, 0, '2098-01-01 00:00:00+00', NULL, 0, false, 4, '2026-11-22 09:25:34.804308+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('gwyk0zkiilz7dnz', 'ben000000000000', 'c00000000000000', false, 'assigned', '2026-11', 0, NULL, '2026-11-22 09:25:39.855+00', 1, NULL, NULL, 0, false, 7, '2026-11-22 09:25:34.855215+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('z6qq12bqp9wbqyb', 'ben000000000000', 'c00000000000000', false, 'assigned', '2026-11', 0, NULL, '2026-11-22 09:25:39.878+00', 1, NULL, NULL, 0, false, 8, '2026-11-22 09:25:34.878893+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('irctviym5wzy4r4', 'ben000000000000', 'c00000000000000', false, 'sending', '2026-11', 1, '2026-11-22 09:27:34.889604+00', NULL, 1, NULL, NULL, 0, false, 5, '2026-11-22 09:25:34.825889+00');
INSERT INTO public.sms_dispatch OVERRIDING SYSTEM VALUE VALUES ('nl5ruayytl16c1v', 'ben000000000000', 'c00000000000000', false, 'sending', '2026-11', 1, '2026-11-22 09:27:34.889604+00', NULL, 1, NULL, NULL, 0, false, 6, '2026-11-22 09:25:34.84721+00');
INSERT INTO public.sms_events OVERRIDING SYSTEM VALUE VALUES ('vgem9fjarsi7zum', 'ben000000000000', 'irctviym5wzy4r4', 'sending', 'c00000000000000', 1, '', '2026-11-22 09:25:34.889Z', 1);
INSERT INTO public.sms_events OVERRIDING SYSTEM VALUE VALUES ('01qhymimqo6vqoj', 'ben000000000000', 'nl5ruayytl16c1v', 'sending', 'c00000000000000', 1, '', '2026-11-22 09:25:34.889Z', 2);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('uv96je1hu1htejw', 'assigned', '+491001', '', 'Hi', 'outgoing', 'a00000000000000', '', 1, 0, 0, '', '', 'at_most_once', '', '', '', '', 'ann000000000000', '2026-11-22 09:25:34.666Z', '2026-11-22 09:25:34.666Z', 1);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('xbbsqyap5shonu7', 'assigned', '+491002', '', 'Hi', 'outgoing', 'b00000000000000', '', 1, 0, 0, '', '', 'at_most_once', '', '', '', '', 'ann000000000000', '2026-11-22 09:25:34.747Z', '2026-11-22 09:25:34.747Z', 2);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('8r9snr44c0j69jb', 'assigned', '+491003', '', 'Hi', 'outgoing', 'a00000000000000', '', 1, 0, 2, '', '', 'at_most_once', '', '', '', '', 'ann000000000000', '2026-11-22 09:25:34.762Z', '2026-11-22 09:25:34.762Z', 3);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('hxkpl8cln1eu60h', 'pending', '+491004', '', 'Hi', 'outgoing', 'b00000000000000', '', 1, 0, 1, '2098-01-01 00:00:00.000Z', '', 'at_most_once', '', '', '', '', 'ann000000000000', '2026-11-22 09:25:34.803Z', '2026-11-22 09:25:34.803Z', 4);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('gwyk0zkiilz7dnz', 'assigned', '+492003', '', 'Hi', 'outgoing', 'c00000000000000', '', 1, 0, 0, '', '', 'at_most_once', '', '', '', '', 'ben000000000000', '2026-11-22 09:25:34.855Z', '2026-11-22 09:25:34.855Z', 7);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('z6qq12bqp9wbqyb', 'assigned', '+492004', '', 'Hi', 'outgoing', 'c00000000000000', '', 1, 0, 0, '', '', 'at_most_once', '', '', '', '', 'ben000000000000', '2026-11-22 09:25:34.878Z', '2026-11-22 09:25:34.878Z', 8);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('irctviym5wzy4r4', 'sending', '+492001', '', 'Hi', 'outgoing', 'c00000000000000', '', 1, 0, 0, '', '', 'at_most_once', '', '', '', '', 'ben000000000000', '2026-11-22 09:25:34.825Z', '2026-11-22 09:25:34.889Z', 5);
INSERT INTO public.sms_messages OVERRIDING SYSTEM VALUE VALUES ('nl5ruayytl16c1v', 'sending', '+492002', '', 'Hi', 'outgoing', 'c00000000000000', '', 1, 0, 0, '', '', 'at_most_once', '', '', '', '', 'ben000000000000', '2026-11-22 09:25:34.846Z', '2026-11-22 09:25:34.889Z', 6);
INSERT INTO public.sms_turns VALUES ('ann000000000000', 3, 4);
INSERT INTO public.sms_turns VALUES ('ben000000000000', 4, 4);
INSERT INTO public.sms_usage OVERRIDING SYSTEM VALUE VALUES ('zt0brrdrcqfbryd', 'ann000000000000', '2026-11', 4, 0, '2026-11-22 09:25:34.666Z', '2026-11-22 09:25:34.803Z', 1);
INSERT INTO public.sms_usage OVERRIDING SYSTEM VALUE VALUES ('szwrd3zgs7aarza', 'ben000000000000', '2026-11', 4, 0, '2026-11-22 09:25:34.825Z', '2026-11-22 09:25:34.878Z', 2);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES ('ann000000000000', '', 0, '2026-01-05 09:00:00.000Z', '2026-01-05 09:00:00.000Z', 'none', 'ann000000000000', 'ann@example.com', false, false, 1);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES ('ben000000000000', '', 0, '2026-01-05 09:00:00.000Z', '2026-01-05 09:00:00.000Z', 'none', 'ben000000000000', 'ben@example.com', false, false, 2);
SELECT pg_catalog.setval('public._audit__rowid_seq', 1, false);
SELECT pg_catalog.setval('public."_authOrigins__rowid_seq"', 1, false);
SELECT pg_catalog.setval('public._changes_position_seq', 1, false);
SELECT pg_catalog.setval('public._collections_position_seq', 19, true);
SELECT pg_catalog.setval('public."_externalAuths__rowid_seq"', 1, false);
SELECT pg_catalog.setval('public._files_id_seq', 1, false);
SELECT pg_catalog.setval('public._logs__rowid_seq', 1, false);
SELECT pg_catalog.setval('public._mfas__rowid_seq', 1, false);
SELECT pg_catalog.setval('public._otps__rowid_seq', 1, false);
SELECT pg_catalog.setval('public._superusers__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.api_keys__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.campaigns__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.contact_groups__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.contacts__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.conversations__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.device_alarm_mails_id_seq', 1, false);
SELECT pg_catalog.setval('public.devices__rowid_seq', 3, true);
SELECT pg_catalog.setval('public.sms_dispatch_position_seq', 8, true);
SELECT pg_catalog.setval('public.sms_events__rowid_seq', 2, true);
SELECT pg_catalog.setval('public.sms_messages__rowid_seq', 8, true);
SELECT pg_catalog.setval('public.sms_templates__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.sms_totals_id_seq', 1, false);
SELECT pg_catalog.setval('public.sms_usage__rowid_seq', 2, true);
SELECT pg_catalog.setval('public.user_settings__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.users__rowid_seq', 2, true);
SELECT pg_catalog.setval('public.webhook_deliveries__rowid_seq', 1, false);
SELECT pg_catalog.setval('public.webhooks__rowid_seq', 1, false);
ALTER TABLE ONLY public._audit
    ADD CONSTRAINT _audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."_authOrigins"
    ADD CONSTRAINT "_authOrigins__rowid_key" UNIQUE (_rowid);
ALTER TABLE ONLY public."_authOrigins"
    ADD CONSTRAINT "_authOrigins_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public._changes
    ADD CONSTRAINT _changes_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public._collections
    ADD CONSTRAINT _collections_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."_externalAuths"
    ADD CONSTRAINT "_externalAuths__rowid_key" UNIQUE (_rowid);
ALTER TABLE ONLY public."_externalAuths"
    ADD CONSTRAINT "_externalAuths_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public._file_chunks
    ADD CONSTRAINT _file_chunks_pkey PRIMARY KEY (file, part);
ALTER TABLE ONLY public._files
    ADD CONSTRAINT _files_collection_record_name_thumb_key UNIQUE (collection, record, name, thumb);
ALTER TABLE ONLY public._files
    ADD CONSTRAINT _files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._functions
    ADD CONSTRAINT _functions_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public._listeners
    ADD CONSTRAINT _listeners_pkey PRIMARY KEY (node);
ALTER TABLE ONLY public._logs
    ADD CONSTRAINT _logs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._mfas
    ADD CONSTRAINT _mfas__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public._mfas
    ADD CONSTRAINT _mfas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._migrations
    ADD CONSTRAINT _migrations_pkey PRIMARY KEY (file);
ALTER TABLE ONLY public._otps
    ADD CONSTRAINT _otps__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public._otps
    ADD CONSTRAINT _otps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._params
    ADD CONSTRAINT _params_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public._subscribing
    ADD CONSTRAINT _subscribing_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._superusers
    ADD CONSTRAINT _superusers__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public._superusers
    ADD CONSTRAINT _superusers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_sessions
    ADD CONSTRAINT auth_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_tries
    ADD CONSTRAINT auth_tries_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.backup_state
    ADD CONSTRAINT backup_state_pkey PRIMARY KEY (is_only);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT campaigns__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT campaigns_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.contact_groups
    ADD CONSTRAINT contact_groups__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.contact_groups
    ADD CONSTRAINT contact_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_alarm_mails
    ADD CONSTRAINT device_alarm_mails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_batteries
    ADD CONSTRAINT device_batteries_pkey PRIMARY KEY (device);
ALTER TABLE ONLY public.device_pairings
    ADD CONSTRAINT device_pairings_pkey PRIMARY KEY (code_hash);
ALTER TABLE ONLY public.device_silences
    ADD CONSTRAINT device_silences_pkey PRIMARY KEY (device);
ALTER TABLE ONLY public.device_streams
    ADD CONSTRAINT device_streams_pkey PRIMARY KEY (device);
ALTER TABLE ONLY public.device_watch
    ADD CONSTRAINT device_watch_pkey PRIMARY KEY (is_only);
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.push_hours
    ADD CONSTRAINT push_hours_pkey PRIMARY KEY ("user");
ALTER TABLE ONLY public.push_queue
    ADD CONSTRAINT push_queue_pkey PRIMARY KEY (conversation);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reply_mails
    ADD CONSTRAINT reply_mails_pkey PRIMARY KEY ("user");
ALTER TABLE ONLY public.sms_dispatch
    ADD CONSTRAINT sms_dispatch_pkey PRIMARY KEY (message);
ALTER TABLE ONLY public.sms_events
    ADD CONSTRAINT sms_events__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.sms_events
    ADD CONSTRAINT sms_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sms_idempotency
    ADD CONSTRAINT sms_idempotency_pkey PRIMARY KEY ("user", key);
ALTER TABLE ONLY public.sms_messages
    ADD CONSTRAINT sms_messages__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.sms_messages
    ADD CONSTRAINT sms_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sms_templates
    ADD CONSTRAINT sms_templates__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.sms_templates
    ADD CONSTRAINT sms_templates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sms_totals
    ADD CONSTRAINT sms_totals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sms_turns
    ADD CONSTRAINT sms_turns_pkey PRIMARY KEY ("user");
ALTER TABLE ONLY public.sms_usage
    ADD CONSTRAINT sms_usage__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.sms_usage
    ADD CONSTRAINT sms_usage_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.smsgate_accounts
    ADD CONSTRAINT smsgate_accounts_pkey PRIMARY KEY ("user");
ALTER TABLE ONLY public.smsgate_phones
    ADD CONSTRAINT smsgate_phones_path_key UNIQUE (path);
ALTER TABLE ONLY public.smsgate_phones
    ADD CONSTRAINT smsgate_phones_pkey PRIMARY KEY (device);
ALTER TABLE ONLY public.smsgate_sends
    ADD CONSTRAINT smsgate_sends_pkey PRIMARY KEY ("user", id);
ALTER TABLE ONLY public.smsgate_texts
    ADD CONSTRAINT smsgate_texts_pkey PRIMARY KEY (device, message, attempt);
ALTER TABLE ONLY public.smsgate_tokens
    ADD CONSTRAINT smsgate_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.twilio_answers
    ADD CONSTRAINT twilio_answers_pkey PRIMARY KEY (message);
ALTER TABLE ONLY public.twilio_messages
    ADD CONSTRAINT twilio_messages_pkey PRIMARY KEY (message);
ALTER TABLE ONLY public.twilio_numbers
    ADD CONSTRAINT twilio_numbers_pkey PRIMARY KEY (device);
ALTER TABLE ONLY public.user_settings
    ADD CONSTRAINT user_settings__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.user_settings
    ADD CONSTRAINT user_settings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_dispatch
    ADD CONSTRAINT webhook_dispatch_pkey PRIMARY KEY (delivery);
ALTER TABLE ONLY public.webhook_payloads
    ADD CONSTRAINT webhook_payloads_pkey PRIMARY KEY (delivery);
ALTER TABLE ONLY public.webhook_rotations
    ADD CONSTRAINT webhook_rotations_pkey PRIMARY KEY (webhook);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks__rowid_key UNIQUE (_rowid);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX _audit_created ON public._audit USING btree (created);
CREATE UNIQUE INDEX _audit_rowid ON public._audit USING btree (_rowid);
CREATE INDEX _changes_xid ON public._changes USING btree (xid, collection, record, "position");
CREATE UNIQUE INDEX _collections_name ON public._collections USING btree (lower(name));
CREATE INDEX _files_original ON public._files USING btree (original) WHERE (original IS NOT NULL);
CREATE INDEX _logs_created ON public._logs USING btree (created);
CREATE UNIQUE INDEX _logs_rowid ON public._logs USING btree (_rowid);
CREATE INDEX auth_sessions_expires_at ON public.auth_sessions USING btree (expires_at);
CREATE INDEX auth_sessions_record ON public.auth_sessions USING btree (collection, record, created);
CREATE INDEX auth_tries_ends ON public.auth_tries USING btree (ends);
CREATE INDEX campaigns_under_way ON public.campaigns USING btree (status, id) WHERE (status = ANY (ARRAY['scheduled'::text, 'sending'::text]));
CREATE INDEX campaigns_unsettled ON public.campaigns USING btree (updated) WHERE (NOT settled);
CREATE INDEX contacts_in_order ON public.contacts USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX conversations_by_message ON public.conversations USING btree (last_message) WHERE (last_message <> ''::text);
CREATE INDEX conversations_by_time ON public.conversations USING btree ("user", archived, last_at);
CREATE INDEX conversations_unanswered ON public.conversations USING btree ("user", last_at) WHERE unanswered;
CREATE INDEX conversations_unread ON public.conversations USING btree ("user", last_at) WHERE (unread > (0)::double precision);
CREATE INDEX device_alarm_mails_due ON public.device_alarm_mails USING btree (due_at) WHERE (sent_at IS NULL);
CREATE INDEX device_alarm_mails_user ON public.device_alarm_mails USING btree ("user", id);
CREATE INDEX device_handouts_device ON public.device_handouts USING btree (device, at);
CREATE UNIQUE INDEX idx_api_keys_hash ON public.api_keys USING btree (hash) WHERE (hash <> ''::text);
CREATE INDEX idx_api_keys_user ON public.api_keys USING btree ("user");
CREATE UNIQUE INDEX "idx_authOrigins_unique_pairs" ON public."_authOrigins" USING btree ("collectionRef", "recordRef", fingerprint);
CREATE INDEX idx_campaigns_user_created ON public.campaigns USING btree ("user", created);
CREATE UNIQUE INDEX idx_contact_groups_user_name ON public.contact_groups USING btree ("user", name);
CREATE UNIQUE INDEX idx_contacts_user_phone ON public.contacts USING btree ("user", phone);
CREATE UNIQUE INDEX idx_conversations_user_number ON public.conversations USING btree ("user", number);
CREATE INDEX idx_devices_user ON public.devices USING btree ("user");
CREATE UNIQUE INDEX idx_email__pb_users_auth_ ON public.users USING btree (email) WHERE (email <> ''::text);
CREATE UNIQUE INDEX idx_email_devices ON public.devices USING btree (email) WHERE (email <> ''::text);
CREATE UNIQUE INDEX idx_email_pbc_3142635823 ON public._superusers USING btree (email) WHERE (email <> ''::text);
CREATE UNIQUE INDEX "idx_externalAuths_collection_provider" ON public."_externalAuths" USING btree ("collectionRef", provider, "providerId");
CREATE UNIQUE INDEX "idx_externalAuths_record_provider" ON public."_externalAuths" USING btree ("collectionRef", "recordRef", provider);
CREATE INDEX "idx_mfas_collectionRef_recordRef" ON public._mfas USING btree ("collectionRef", "recordRef");
CREATE INDEX "idx_otps_collectionRef_recordRef" ON public._otps USING btree ("collectionRef", "recordRef");
CREATE INDEX idx_sms_events_message ON public.sms_events USING btree (message, created);
CREATE INDEX idx_sms_events_user ON public.sms_events USING btree ("user", created);
CREATE INDEX idx_sms_messages_batch ON public.sms_messages USING btree (batch_id);
CREATE UNIQUE INDEX idx_sms_messages_client_ref ON public.sms_messages USING btree ("user", client_ref) WHERE (client_ref <> ''::text);
CREATE INDEX idx_sms_messages_device_status ON public.sms_messages USING btree (device, status);
CREATE INDEX idx_sms_messages_user_created ON public.sms_messages USING btree ("user", created);
CREATE INDEX idx_sms_templates_user ON public.sms_templates USING btree ("user");
CREATE UNIQUE INDEX idx_sms_usage_user_period ON public.sms_usage USING btree ("user", period);
CREATE UNIQUE INDEX "idx_tokenKey__pb_users_auth_" ON public.users USING btree ("tokenKey");
CREATE UNIQUE INDEX "idx_tokenKey_devices" ON public.devices USING btree ("tokenKey");
CREATE UNIQUE INDEX "idx_tokenKey_pbc_3142635823" ON public._superusers USING btree ("tokenKey");
CREATE UNIQUE INDEX idx_user_settings_user ON public.user_settings USING btree ("user");
CREATE INDEX idx_webhook_deliveries_user ON public.webhook_deliveries USING btree ("user", created);
CREATE INDEX idx_webhook_deliveries_webhook ON public.webhook_deliveries USING btree (webhook, created);
CREATE UNIQUE INDEX idx_webhooks_smsgate ON public.webhooks USING btree ("user", smsgate_id) WHERE (smsgate_id <> ''::text);
CREATE INDEX idx_webhooks_user ON public.webhooks USING btree ("user");
CREATE INDEX push_queue_due ON public.push_queue USING btree (due_at) WHERE (state <> 'done'::text);
CREATE INDEX push_subscriptions_user ON public.push_subscriptions USING btree ("user", created);
CREATE INDEX sms_dispatch_claim ON public.sms_dispatch USING btree (device, state, priority DESC, "position");
CREATE INDEX sms_dispatch_due ON public.sms_dispatch USING btree (due_at) WHERE (state = 'pending'::text);
CREATE INDEX sms_dispatch_expiry ON public.sms_dispatch USING btree (expires_at) WHERE ((state <> 'sending'::text) AND (expires_at IS NOT NULL));
CREATE INDEX sms_dispatch_lease ON public.sms_dispatch USING btree (lease_until) WHERE (state = 'sending'::text);
CREATE INDEX sms_dispatch_wake ON public.sms_dispatch USING btree (wake_at) WHERE (state = 'assigned'::text);
CREATE INDEX sms_events_in_order ON public.sms_events USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX sms_idempotency_age ON public.sms_idempotency USING btree (created);
CREATE INDEX sms_messages_by_from ON public.sms_messages USING btree ("user", "from") WHERE ("from" <> ''::text);
CREATE INDEX sms_messages_by_number ON public.sms_messages USING btree ("to", _rowid, "user");
CREATE INDEX sms_messages_by_status ON public.sms_messages USING btree ("user", status, created);
CREATE INDEX sms_messages_by_time ON public.sms_messages USING btree (created DESC, _rowid);
CREATE INDEX sms_messages_in_order ON public.sms_messages USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX sms_messages_inbox ON public.sms_messages USING btree ("user", delivered_at, id) WHERE (message_type = 'incoming'::text);
CREATE INDEX sms_messages_of_user_by_number ON public.sms_messages USING btree ("user", "to", _rowid);
CREATE INDEX sms_messages_of_user_by_time ON public.sms_messages USING btree ("user", created DESC, _rowid);
CREATE INDEX sms_totals_of ON public.sms_totals USING btree (relation, "user");
CREATE INDEX smsgate_sends_by_ref ON public.smsgate_sends USING btree (ref);
CREATE INDEX smsgate_sends_by_time ON public.smsgate_sends USING btree ("user", created, id);
CREATE INDEX smsgate_tokens_by_end ON public.smsgate_tokens USING btree (refresh_until);
CREATE INDEX smsgate_tokens_by_key ON public.smsgate_tokens USING btree (api_key);
CREATE INDEX smsgate_tokens_by_user ON public.smsgate_tokens USING btree ("user");
CREATE INDEX webhook_deliveries_in_order ON public.webhook_deliveries USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX webhook_deliveries_message ON public.webhook_deliveries USING btree (message);
CREATE INDEX webhook_dispatch_due ON public.webhook_dispatch USING btree ("user", webhook, due_at) WHERE (handed_at IS NULL);
CREATE INDEX webhook_dispatch_handed ON public.webhook_dispatch USING btree ("user", webhook) WHERE (handed_at IS NOT NULL);
CREATE TRIGGER note BEFORE INSERT ON public._changes FOR EACH ROW EXECUTE FUNCTION public._changes_note();
CREATE TRIGGER noted AFTER INSERT ON public.webhook_dispatch REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.webhook_noted();
CREATE TRIGGER went AFTER DELETE ON public.sms_turns FOR EACH ROW WHEN ((old.messages <> 0)) EXECUTE FUNCTION public.sms_turns_went();
ALTER TABLE ONLY public._file_chunks
    ADD CONSTRAINT _file_chunks_file_fkey FOREIGN KEY (file) REFERENCES public._files(id) ON DELETE CASCADE;
ALTER TABLE ONLY public._files
    ADD CONSTRAINT _files_original_fkey FOREIGN KEY (original) REFERENCES public._files(id) ON DELETE CASCADE;
commit;
