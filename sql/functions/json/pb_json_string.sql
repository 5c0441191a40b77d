-- The text that json_extract() gives: lists and objects are their JSON. Null for anything but strings, lists,
-- objects.
create or replace function pb_json_string(v json) returns text language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('string', 'object', 'array') then v #>> '{}' end
$$;
