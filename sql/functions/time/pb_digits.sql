-- Formats a number with zeros in front, as %04d of printf does for 4 `places`.
create or replace function pb_digits(n int, places int) returns text
language sql immutable parallel safe as $$
  select case when n < 0 then '-' || lpad((-n)::text, greatest(places - 1, length((-n)::text)), '0')
    else lpad(n::text, greatest(places, length(n::text)), '0') end
$$;
