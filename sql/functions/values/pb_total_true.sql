-- State function of total(boolean).
create or replace function pb_total_true(x double precision, b boolean) returns double precision
language sql immutable parallel safe as $$
  select x + coalesce(b::int, 0)
$$;
