-- 0006 SQLite's view of values, where Postgres has another: what filters and sorts compare with.
-- A caller writes COLLATE "C" behind each text: a function's result takes its collation from the arguments.

-- Text that looks like a number, as one; else null.
create function pb_numeric(t text) returns double precision language sql immutable parallel safe as $$
  select case when t collate "C" ~ '^[ \t\n\v\f\r]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t\n\v\f\r]*$'
    then pb_float(t) end
$$;

-- A REAL as text: never without a point, exponents from 1e17 up and below 1e-4.
create function pb_real_text(x double precision) returns text language sql immutable parallel safe as $$
  select case
    when x = trunc(x) and abs(x) < 1e17 then x::bigint::text || '.0'
    else regexp_replace(x::text, '^(-?[0-9]+)(e|$)', '\1.0\2')
  end
$$;

-- A number column as text: whole numbers are INTEGER there.
create function pb_number_text(x double precision) returns text language sql immutable parallel safe as $$
  select case when x = trunc(x) and abs(x) < 9.2e18 then x::bigint::text else pb_real_text(x) end
$$;

-- What json_extract gives: null, a number (true is 1), or a text; lists and objects are their JSON.
create function pb_json_rank(v json) returns int language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('number', 'boolean') then 1 when json_typeof(v) in ('string', 'object', 'array') then 2 end
$$;
create function pb_json_number(v json) returns double precision language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_float(v #>> '{}') when 'boolean' then (v #>> '{}' = 'true')::int end
$$;
create function pb_json_string(v json) returns text language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('string', 'object', 'array') then v #>> '{}' end
$$;
-- The same with a text that looks like a number taken for one.
create function pb_json_numeric(v json) returns double precision language sql immutable parallel safe as $$
  select case json_typeof(v) when 'string' then pb_numeric(v #>> '{}') else pb_json_number(v) end
$$;
create function pb_json_text(v json) returns text language sql immutable parallel safe as $$
  select case json_typeof(v)
    when 'number' then case when v #>> '{}' ~ '^-?[0-9]{1,18}$' then v #>> '{}' else pb_real_text(pb_float(v #>> '{}')) end
    when 'boolean' then case when v #>> '{}' = 'true' then '1' else '0' end
    else v #>> '{}'
  end
$$;
