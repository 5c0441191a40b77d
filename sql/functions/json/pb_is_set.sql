-- True if a JSON column is set. SQL null, JSON null and "" count as not set.
create or replace function pb_is_set(value json) returns boolean language sql immutable parallel safe as $$
  select value is not null and json_typeof(value) <> 'null' and value::text <> '""'
$$;
