-- json_each() of SQLite for JSON given as text. Postgres' own function takes objects only.
create or replace function json_each(v text) returns table (key text, value text, type text, id bigint)
language sql immutable parallel safe rows 10 as $$
  select e.key, pb_json_text(e.value), json_typeof(e.value), e.place
  from (
    select (i - 1)::text as key, x as value, i as place
    from json_array_elements(case when json_typeof(v::json) = 'array' then v::json else '[]' end) with ordinality a (x, i)
    union all
    select k, x, i
    from pg_catalog.json_each(case when json_typeof(v::json) = 'object' then v::json else '{}' end) with ordinality o (k, x, i)
    union all
    select null, v::json, 1 where json_typeof(v::json) not in ('array', 'object')
  ) e
  order by e.place
$$;
