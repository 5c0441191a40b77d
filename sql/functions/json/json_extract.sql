-- json_extract() of SQLite for one path. A view collection shows its result as JSON again (pb_json).
create or replace function json_extract(v json, path text) returns text
language sql immutable parallel safe as $$
  select case when path like '$%' then pb_json_text(v #> array(select coalesce(m[1], m[2], m[3])
    from regexp_matches(path, '\."([^"]*)"|\.([^."[]+)|\[([0-9]+)\]', 'g') m)) end
$$;

create or replace function json_extract(t text, path text) returns text
language sql immutable parallel safe as 'select json_extract(t::json, path)';
