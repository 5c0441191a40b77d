-- Trigger of campaigns: adds a job for a campaign whose messages do not match its status. After an update the
-- job waits 5 s, because the request changes the messages itself unless its server is killed. A job that is
-- running may have missed the update: adding 1 to `runs` keeps this job from deleting its row.
create or replace function campaigns_unsettled() returns trigger language plpgsql as $$
begin
  insert into _jobs (kind, holder, key, due_at)
  values ('campaign', new."user", new.id, now() + case tg_op when 'UPDATE' then interval '5 seconds' else '0' end)
  on conflict (kind, key) do update set runs = _jobs.runs + 1, attempts = 0, dead_at = null,
    due_at = least(_jobs.due_at, excluded.due_at);
  return null;
end $$;
