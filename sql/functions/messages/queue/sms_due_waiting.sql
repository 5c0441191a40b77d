-- Locks and returns up to `room` due messages that waited for a line below its limits or for the end of quiet
-- hours: 200 of each user with a line that can send, first of the users who have waited longest. With a real
-- device, simulated lines do not count. Planned for each call: the queue is often empty. Messages that could
-- be undone were not held back: sms_due_scheduled has them.
create or replace function sms_due_waiting(online_seconds float8, room int) returns text[]
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  online_since constant text := pb_text(now() - online_seconds * interval '1 second');
begin
  return array(
    with users as (
      select d."user", min(d.due_at) as since from sms_dispatch d
      where d.state = 'pending' and d.due_at <= now() and d.waiting_for <> '' and d.waiting_for <> 'undo'
      group by d."user"
    ), choices as materialized (
      select u."user" from users u
      where exists (select from sms_ranked_lines(u."user", online_since) l where l.rank is not null)
      order by u.since limit room / 200
    )
    select d.message from choices c cross join lateral (
      select d.message from sms_dispatch d
      where d.state = 'pending' and d.due_at <= now() and (d.expires_at is null or d.expires_at > now())
        and coalesce((select sms_may_become(m.status, 'assigned') from sms_messages m where m.id = d.message), false)
        and d.waiting_for <> '' and d.waiting_for <> 'undo' and d."user" = c."user"
      order by d.priority desc, d.position limit 200 for update skip locked
    ) d
  );
end $$;
