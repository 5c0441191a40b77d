-- The part of a JSON value at a path such as `$.a[0]."b c"`. Null if there is none.
create or replace function pb_json_at(v json, path text) returns json
language sql immutable parallel safe as $$
  select case when path like '$%' then v #> array(select coalesce(m[1], m[2], m[3])
    from regexp_matches(path, '\."([^"]*)"|\.([^."[]+)|\[([0-9]+)\]', 'g') m) end
$$;
