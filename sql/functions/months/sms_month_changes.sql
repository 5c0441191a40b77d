-- Trigger of a partition that retention is about to detach (src/sms/months/retire.ts): notes each changed
-- row, before and after, in the table that its argument names.
create or replace function sms_month_changes() returns trigger language plpgsql as $$
begin
  execute format('insert into %I (id, before, after) values ($1, $2, $3)', tg_argv[0])
  using coalesce(new.id, old.id), to_jsonb(old), to_jsonb(new);
  return null;
end $$;
