-- Text that looks like a number, as a number; null otherwise. Unlike pb_real it does not take the number at
-- the start of a text. Callers add COLLATE "C" to their texts: the result of a function has the collation of
-- its arguments.
create or replace function pb_numeric(t text) returns double precision
language sql immutable parallel safe as $$
  select case when t collate "C" ~ '^[ \t\n\v\f\r]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t\n\v\f\r]*$'
    then pb_float(t) end
$$;
