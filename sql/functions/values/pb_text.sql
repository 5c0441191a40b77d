-- Converts a value to text as SQLite stores it: whole numbers without a point, booleans as 0 and 1, lists as
-- JSON. An instant becomes a pb_date; that function is only STABLE, because to_char() is.
create or replace function pb_text(at timestamptz) returns text language sql stable strict parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')
$$;

create or replace function pb_text(t text) returns text language sql immutable parallel safe as 'select t';

create or replace function pb_text(x double precision) returns text
language sql immutable parallel safe as 'select pb_number_text(x)';

create or replace function pb_text(n bigint) returns text
language sql immutable parallel safe as 'select n::text';

create or replace function pb_text(n numeric) returns text language sql immutable parallel safe as $$
  select case when scale(n) > 0 or abs(n) > 9223372036854775807 then pb_real_text(n::float8) else n::text end
$$;

create or replace function pb_text(b boolean) returns text
language sql immutable parallel safe as 'select b::int::text';

create or replace function pb_text(list text[]) returns text
language sql stable parallel safe as 'select array_to_json(list)::text';

create or replace function pb_text(v json) returns text language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_json_text(v) else v::text end
$$;

create or replace function pb_text(v anyelement) returns text
language sql stable parallel safe as 'select v::text';
