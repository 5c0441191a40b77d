-- Trigger of campaigns: adds the job of one whose messages are not as its record says. A request that changed
-- it does that itself within 5 s, unless it is killed. A run under way may have missed the change: `runs`
-- keeps it from ending the job.
create or replace function campaigns_unsettled() returns trigger language plpgsql as $$
begin
  insert into _jobs (kind, holder, key, due_at)
  values ('campaign', new."user", new.id, now() + case tg_op when 'UPDATE' then interval '5 seconds' else '0' end)
  on conflict (kind, key) do update set runs = _jobs.runs + 1, attempts = 0, dead_at = null,
    due_at = least(_jobs.due_at, excluded.due_at);
  return null;
end $$;
