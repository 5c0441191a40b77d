-- A JSON value as a number: true is 1, text that looks like a number is converted. Null for other values.
create or replace function pb_json_numeric(v json) returns double precision
language sql immutable parallel safe as $$
  select case json_typeof(v) when 'string' then pb_numeric(v #>> '{}') else pb_json_number(v) end
$$;
