-- Converts an argument of SQLite's json_object() or json_array() to JSON. Like SQLite, treats a stored JSON
-- value as text, unless it is a number.
create or replace function pb_json_of(t text) returns json
language sql immutable parallel safe as 'select to_json(t)';

create or replace function pb_json_of(b boolean) returns json
language sql immutable parallel safe as 'select to_json(b::int)';

create or replace function pb_json_of(list text[]) returns json language sql stable parallel safe as
  'select to_json(array_to_json(list)::text)';

create or replace function pb_json_of(v json) returns json language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then v else to_json(v::text) end
$$;

create or replace function pb_json_of(v anyelement) returns json
language sql stable parallel safe as 'select to_json(v)';
