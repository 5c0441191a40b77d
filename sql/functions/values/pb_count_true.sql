-- State function of sum(boolean).
create or replace function pb_count_true(n bigint, b boolean) returns bigint
language sql immutable parallel safe as $$
  select coalesce(n + b::int, n, b::int)
$$;
