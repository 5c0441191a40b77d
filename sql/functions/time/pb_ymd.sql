-- The calendar day of a moment. As in SQLite, the year before year 1 is year 0.
create or replace function pb_ymd(ms bigint, out y int, out m int, out d int)
language sql immutable parallel safe as $$
  select extract(year from day)::int + (extract(year from day) < 0)::int, extract(month from day)::int, extract(day from day)::int
  from (select date '2000-01-01' + ((ms + 43200000) / 86400000 - 2451545)::int as day) t
$$;
