-- 0005 what view collections need.

-- A column that is none of a collection's own is shown as JSON: text that is JSON is taken for it, as PocketBase does.
create function pb_json(t text) returns json language plpgsql immutable strict parallel safe as $$
begin
  return t::json;
exception when others then
  return to_json(t);
end $$;
create function pb_json(v anyelement) returns json language sql stable strict parallel safe as 'select to_json(v)';
-- SQLite has no bools: a comparison is 0 or 1
create function pb_json(b boolean) returns json language sql immutable strict parallel safe as 'select to_json(b::int)';

-- SQLite's sum that is never null, which PocketBase knows as a number.
create aggregate total(double precision) (sfunc = float8pl, stype = double precision, initcond = '0');

-- What the list of collections can be filtered and sorted by.
create view _collections_listed as
select
  id,
  name,
  (data ->> 'type') collate "C" as type,
  (data ->> 'created') collate "C" as created,
  (data ->> 'updated') collate "C" as updated,
  (data ->> 'system')::boolean as system,
  position as _rowid
from _collections;
