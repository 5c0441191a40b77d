-- Converts the right side of SQLite's `->` to a JSON path. It may be a path already, an array index in
-- brackets, or a key.
create or replace function pb_json_path(label text) returns text language sql immutable parallel safe as $$
  select case when label like '$%' then label when label ~ '^\[[0-9]+\]$' then '$' || label else '$."' || label || '"' end
$$;
