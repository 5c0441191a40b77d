-- Whether `destinations` allows a number. It lists prefixes such as `+49,+1,-1876`, where `-` forbids. The
-- longest prefix that matches decides. A number that matches none is allowed only if all prefixes forbid, or
-- the list is empty.
create or replace function sms_is_destination(destinations text, number text) returns boolean
language sql immutable parallel safe as $$
  select coalesce(
    (array_agg(p not like '-%' order by length(ltrim(p, '+-')) desc, p like '-%' desc)
      filter (where starts_with(number, '+' || ltrim(p, '+-'))))[1],
    bool_and(p like '-%'), true)
  from unnest(string_to_array(destinations, ',')) p
$$;
