-- The operator @->, used for SQLite's `->`, because Postgres' own `->` takes no paths.
create or replace function pb_arrow(v json, label text) returns json language sql immutable parallel safe as
  'select pb_json_at(v, pb_json_path(label))';

create or replace function pb_arrow(v json, place int) returns json
language sql immutable parallel safe as 'select v -> place';

create or replace function pb_arrow(list text[], place int) returns json language sql stable parallel safe as
  'select array_to_json(list) -> place';

create or replace function pb_arrow(list text[], label text) returns json language sql stable parallel safe as
  'select pb_arrow(array_to_json(list), label)';
