-- The operator % of two number columns. SQLite computes it with integers.
create or replace function pb_modulo(x double precision, y double precision) returns double precision
language sql immutable parallel safe as $$
  select (pb_integer(x) % nullif(pb_integer(y), 0))::float8
$$;
