-- substr() of SQLite. A position below 0 counts from the end, 0 is the position before the first. A negative
-- length takes the characters before the position.
create or replace function pb_substr(t text, place bigint) returns text
language sql immutable parallel safe as $$
  select substr(t, greatest(case when place < 0 then length(t) + 1 + place else place end, 1)::int)
$$;

create or replace function pb_substr(t text, place bigint, size bigint) returns text
language sql immutable parallel safe as $$
  select substr(t, greatest(first, 1)::int, greatest(least(last, length(t) + 1) - greatest(first, 1), 0)::int)
  from (select least(start, start + size) as first, greatest(start, start + size) as last
    from (select case when place < 0 then length(t) + 1 + place else place + (place = 0 and size < 0)::int end as start) s) range
$$;

create or replace function pb_substr(v anyelement, place bigint) returns text
language sql stable parallel safe as 'select pb_substr(pb_text(v), place)';

create or replace function pb_substr(v anyelement, place bigint, size bigint) returns text
language sql stable parallel safe as
  'select pb_substr(pb_text(v), place, size)';
