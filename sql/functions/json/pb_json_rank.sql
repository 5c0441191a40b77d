-- The sort rank of what SQLite's json_extract() gives: 1 for numbers and booleans, 2 for text, lists and
-- objects; null for null.
create or replace function pb_json_rank(v json) returns int language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('number', 'boolean') then 1 when json_typeof(v) in ('string', 'object', 'array') then 2 end
$$;
