-- json_array_length() of SQLite: 0 for JSON that is no array.
create or replace function pb_json_length(v json) returns int language sql immutable parallel safe as $$
  select case json_typeof(v) when 'array' then json_array_length(v) else 0 * length(json_typeof(v)) end
$$;
