-- 0005 what view collections need.

-- A column that is none of a collection's own is shown as JSON: text that is JSON is taken for it, as PocketBase does.
create function pb_json(t text) returns json language plpgsql immutable strict parallel safe as $$
begin
  return t::json;
exception when others then
  return to_json(t);
end $$;
create function pb_json(v anyelement) returns json language sql stable strict parallel safe as 'select to_json(v)';
