-- The operator = of a boolean and a number: `flag = 1`.
create or replace function pb_equal(b boolean, n int) returns boolean
language sql immutable parallel safe as 'select b::int = n';
