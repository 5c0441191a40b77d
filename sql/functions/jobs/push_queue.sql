-- Queues pushes to the browsers of an account. `items`: as the payload of a push job.
create or replace function push_queue(owner text, items text[]) returns void language plpgsql as $$
begin
  insert into _jobs (kind, holder, key, payload, due_at)
  select 'push', owner, owner, to_json(items[:100]),
    greatest(now(), (select h.next_at from push_hours h where h."user" = owner))
  where exists (select from push_subscriptions p where p."user" = owner)
  on conflict (kind, key) do update set attempts = 0, dead_at = null, payload = (
    select json_agg(i.id) from (
      select json_array_elements_text(_jobs.payload) union select json_array_elements_text(excluded.payload) limit 100
    ) i(id));
end $$;
