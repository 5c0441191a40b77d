-- 0019 a field may have any name, that of an alias as well.
-- Why:   `row_to_json(t)` is the field `t` of a table that has one, not the row; `t.*` is the row whatever its fields are
--        called. A collection with a field `t` ended all events of a server.
-- Locks: none on tables; the functions are replaced.
do $$
declare
  body text;
begin
  for body in
    select pg_get_functiondef(oid) from pg_proc
    where proname in ('_changes_note', 'webhook_noted', 'sms_accept')
      and pronamespace = current_schema()::regnamespace
  loop
    execute regexp_replace(body, 'row_to_json\((\w+)\)', 'row_to_json(\1.*)', 'g');
  end loop;
end $$;
