-- CAST(… AS INTEGER) of SQLite: truncated, limited to 64 bits. Text counts as the number that it begins with,
-- else 0.
create or replace function pb_integer(x double precision) returns bigint
language sql immutable parallel safe as $$
  select case when x >= 9223372036854775807 then 9223372036854775807 when x <= -9223372036854775808 then -9223372036854775808
    else trunc(nullif(x, 'NaN'))::bigint end
$$;

create or replace function pb_integer(n bigint) returns bigint
language sql immutable parallel safe as 'select n';

create or replace function pb_integer(n numeric) returns bigint language sql immutable parallel safe as $$
  select trunc(least(greatest(n, -9223372036854775808), 9223372036854775807))::bigint
$$;

create or replace function pb_integer(t text) returns bigint language sql immutable parallel safe as $$
  select least(greatest((coalesce(p[1], '') || '0' || left(p[2], 20))::numeric, -9223372036854775808), 9223372036854775807)::bigint
  from (select regexp_match(t collate "C", '^[ \t\n\v\f\r]*([-+]?)0*([0-9]*)') p) parts where t is not null
$$;

create or replace function pb_integer(b boolean) returns bigint
language sql immutable parallel safe as 'select b::int::bigint';

create or replace function pb_integer(list text[]) returns bigint
language sql immutable parallel safe as 'select 0 * cardinality(list)::bigint';

create or replace function pb_integer(v json) returns bigint language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_integer(pb_float(v::text)) else pb_integer(v::text) end
$$;
