-- Postgres counts a table again when a tenth of it has changed. In a large one that is late for a user who came since: of him it
-- takes all rows for one, and sorts 100,000 messages for a page of 30. Tables made from now on are so from the start.
do $$
declare records regclass;
begin
  for records in
    select a.attrelid from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname = '_rowid' and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    order by c.relname
  loop
    execute format(
      'alter table %s set (autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02)', records);
  end loop;
end $$;
