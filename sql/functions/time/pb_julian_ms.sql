-- The moment at which a day begins. As in date.c of SQLite, a moment is a number of milliseconds since noon
-- of 4714-11-24 BC.
create or replace function pb_julian_ms(y int, m int, d int) returns bigint
language sql immutable parallel safe as $$
  select (36525 * (y - (m <= 2)::int + 4716) / 100
    + 306001 * (m + 12 * (m <= 2)::int + 1) / 10000
    + d + 38 - (y - (m <= 2)::int + 4800) / 100 + (y - (m <= 2)::int + 4800) / 400 - 1524)::bigint * 86400000 - 43200000
$$;
