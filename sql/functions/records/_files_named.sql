-- Deferred trigger of tables with file fields: at the commit, deletes the files that the record no longer
-- names, whatever statement changed it. Deferred because an import may delete a record and store it again.
-- Arguments: the collection's id, and an SQL expression for the file names in a row `b`
-- (src/engine/collections/table.ts).
create or replace function _files_named() returns trigger language plpgsql as $$
declare
  names text[];
begin
  if not exists (select from _files where collection = tg_argv[0] and record = old.id) then
    return null;
  end if;
  execute format('select %s from %s b where b.id = $1', tg_argv[1], tg_relid::regclass) into names using old.id;
  delete from _files
    where collection = tg_argv[0] and record = old.id and name <> all (coalesce(names, '{}'));
  return null;
end $$;
