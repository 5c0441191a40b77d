-- A column of a view collection that belongs to no field, as JSON. PocketBase takes text that is valid JSON
-- for JSON. SQLite has no booleans: a comparison is 0 or 1.
create or replace function pb_json(t text) returns json language plpgsql immutable strict parallel safe as $$
begin
  return t::json;
exception when others then
  return to_json(t);
end $$;

create or replace function pb_json(v anyelement) returns json
language sql stable strict parallel safe as 'select to_json(v)';

create or replace function pb_json(b boolean) returns json
language sql immutable strict parallel safe as 'select to_json(b::int)';
