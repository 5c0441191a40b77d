-- Converts a computed column of a view collection to JSON. Like PocketBase, takes text that is valid JSON as
-- JSON. Columns of type boolean become 0 or 1, as in SQLite.
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
