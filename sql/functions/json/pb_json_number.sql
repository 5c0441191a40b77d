-- The number that json_extract() gives: true is 1. Null for anything but numbers and booleans.
create or replace function pb_json_number(v json) returns double precision
language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_float(v #>> '{}') when 'boolean' then (v #>> '{}' = 'true')::int end
$$;
