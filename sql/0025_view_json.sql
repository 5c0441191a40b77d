-- 0025 JSON in the queries of views, as SQLite reads it (src/collections/translate-calls.ts).

-- What stands behind an arrow: a path, a list's place in brackets, or a key.
create function pb_json_path(label text) returns text language sql immutable parallel safe as $$
  select case when label like '$%' then label when label ~ '^\[[0-9]+\]$' then '$' || label else '$."' || label || '"' end
$$;

-- The JSON at a path of one.
create function pb_json_at(v json, path text) returns json language sql immutable parallel safe as $$
  select case when path like '$%' then v #> array(select coalesce(m[1], m[2], m[3])
    from regexp_matches(path, '\."([^"]*)"|\.([^."[]+)|\[([0-9]+)\]', 'g') m) end
$$;

-- `->` and `->>`. Postgres has operators of these names that know no paths, so they have other ones here.
create function pb_arrow(v json, label text) returns json language sql immutable parallel safe as
  'select pb_json_at(v, pb_json_path(label))';
create function pb_arrow(v json, place int) returns json language sql immutable parallel safe as 'select v -> place';
create function pb_arrow(list text[], place int) returns json language sql stable parallel safe as
  'select array_to_json(list) -> place';
create function pb_arrow(list text[], label text) returns json language sql stable parallel safe as
  'select pb_arrow(array_to_json(list), label)';
create function pb_arrow_text(v json, label text) returns text language sql immutable parallel safe as
  'select pb_json_text(pb_arrow(v, label))';
create function pb_arrow_text(v json, place int) returns text language sql immutable parallel safe as
  'select pb_json_text(v -> place)';
create function pb_arrow_text(list text[], place int) returns text language sql stable parallel safe as
  'select pb_json_text(array_to_json(list) -> place)';
create function pb_arrow_text(list text[], label text) returns text language sql stable parallel safe as
  'select pb_arrow_text(array_to_json(list), label)';
create operator @-> (leftarg = json, rightarg = text, function = pb_arrow);
create operator @-> (leftarg = json, rightarg = int, function = pb_arrow);
create operator @-> (leftarg = text[], rightarg = int, function = pb_arrow);
create operator @-> (leftarg = text[], rightarg = text, function = pb_arrow);
create operator @->> (leftarg = json, rightarg = text, function = pb_arrow_text);
create operator @->> (leftarg = json, rightarg = int, function = pb_arrow_text);
create operator @->> (leftarg = text[], rightarg = int, function = pb_arrow_text);
create operator @->> (leftarg = text[], rightarg = text, function = pb_arrow_text);

-- A value in json_object() and json_array(). What is stored as JSON is a text to SQLite, unless it is a number.
create function pb_json_of(t text) returns json language sql immutable parallel safe as 'select to_json(t)';
create function pb_json_of(b boolean) returns json language sql immutable parallel safe as 'select to_json(b::int)';
create function pb_json_of(list text[]) returns json language sql stable parallel safe as
  'select to_json(array_to_json(list)::text)';
create function pb_json_of(v json) returns json language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then v else to_json(v::text) end
$$;
create function pb_json_of(v anyelement) returns json language sql stable parallel safe as 'select to_json(v)';

create function pb_json_length(v json) returns int language sql immutable parallel safe as $$
  select case json_typeof(v) when 'array' then json_array_length(v) else 0 * length(json_typeof(v)) end
$$;

-- json_each() of JSON as text: Postgres' own, of json, takes objects only.
create function json_each(v text) returns table (key text, value text, type text, id bigint)
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
