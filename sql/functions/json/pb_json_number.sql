-- A JSON value as the number that SQLite's json_extract() gives: true is 1. Null for other types.
create or replace function pb_json_number(v json) returns double precision
language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_float(v #>> '{}') when 'boolean' then (v #>> '{}' = 'true')::int end
$$;
