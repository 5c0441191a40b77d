-- 0032 drops the tables of pg-boss: nodes lease the rows of webhook_dispatch.
-- Why:   pg-boss made them at run time, and nothing uses them any more.
-- Locks: the tables of pg-boss, for an instant.
-- Only if all its queues are ours: another program may keep its own there.
do $$ begin
  if to_regclass('pgboss.queue') is not null then
    if not exists (select from pgboss.queue where name <> 'webhooks') then drop schema pgboss cascade; end if;
  end if;
end $$;
