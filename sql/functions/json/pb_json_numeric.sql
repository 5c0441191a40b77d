-- As pb_json_number, but text that looks like a number is converted.
create or replace function pb_json_numeric(v json) returns double precision
language sql immutable parallel safe as $$
  select case json_typeof(v) when 'string' then pb_numeric(v #>> '{}') else pb_json_number(v) end
$$;
