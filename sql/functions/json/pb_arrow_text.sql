-- The operator @->>, used for SQLite's `->>`, because Postgres' own `->>` takes no paths.
create or replace function pb_arrow_text(v json, label text) returns text
language sql immutable parallel safe as
  'select pb_json_text(pb_arrow(v, label))';

create or replace function pb_arrow_text(v json, place int) returns text
language sql immutable parallel safe as
  'select pb_json_text(v -> place)';

create or replace function pb_arrow_text(list text[], place int) returns text
language sql stable parallel safe as
  'select pb_json_text(array_to_json(list) -> place)';

create or replace function pb_arrow_text(list text[], label text) returns text
language sql stable parallel safe as
  'select pb_arrow_text(array_to_json(list), label)';
