-- True if a JSON column holds a value: not null, JSON null or "".
create or replace function pb_is_set(value json) returns boolean language sql immutable parallel safe as $$
  select value is not null and json_typeof(value) <> 'null' and value::text <> '""'
$$;
