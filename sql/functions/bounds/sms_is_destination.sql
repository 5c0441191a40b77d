-- Whether `destinations` allows a number: prefixes of numbers as `+49,+1,-1876`, of which the longest that
-- fits decides; those with `-` refuse. A number that none fits is allowed if all refuse, or there are none.
create or replace function sms_is_destination(destinations text, number text) returns boolean
language sql immutable parallel safe as $$
  select coalesce(
    (array_agg(p not like '-%' order by length(ltrim(p, '+-')) desc, p like '-%' desc)
      filter (where starts_with(number, '+' || ltrim(p, '+-'))))[1],
    bool_and(p like '-%'), true)
  from unnest(string_to_array(destinations, ',')) p
$$;
