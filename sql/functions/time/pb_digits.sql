-- A number with at least this many digits, as %04d of printf.
create or replace function pb_digits(n int, places int) returns text
language sql immutable parallel safe as $$
  select case when n < 0 then '-' || lpad((-n)::text, greatest(places - 1, length((-n)::text)), '0')
    else lpad(n::text, greatest(places, length(n::text)), '0') end
$$;
