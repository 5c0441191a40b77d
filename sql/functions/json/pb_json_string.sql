-- A JSON value as the text that SQLite's json_extract() gives: lists and objects stay JSON. Null for numbers,
-- booleans and null.
create or replace function pb_json_string(v json) returns text language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('string', 'object', 'array') then v #>> '{}' end
$$;
