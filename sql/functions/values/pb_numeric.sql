-- Converts text that is a number as a whole; null for other text. (pb_real also takes a number at the start
-- of a text.) Callers add COLLATE "C" to their texts, because a function's result has the collation of its
-- arguments.
create or replace function pb_numeric(t text) returns double precision
language sql immutable parallel safe as $$
  select case when t collate "C" ~ '^[ \t\n\v\f\r]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t\n\v\f\r]*$'
    then pb_float(t) end
$$;
