-- Locks and returns up to `room` messages that were scheduled for now or earlier, or whose seconds of undo
-- are over, and whose user has a line that can send, or that name a device. With a real device, simulated
-- lines do not count. Planned for each call: the queue is often empty.
create or replace function sms_due_scheduled(online_seconds float8, room int) returns text[]
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  online_since constant text := pb_text(now() - online_seconds * interval '1 second');
begin
  return array(
    with users as (
      select distinct d."user" from sms_dispatch d
      where d.state = 'pending' and d.due_at <= now() and d.device = ''
        and d.waiting_for in ('', 'undo')
    ), choices as (
      select u."user" from users u
      where exists (select from sms_ranked_lines(u."user", online_since) l where l.rank is not null)
    )
    select d.message from sms_dispatch d
    where d.state = 'pending' and d.due_at <= now() and (d.expires_at is null or d.expires_at > now())
      and coalesce((select sms_may_become(m.status, 'assigned') from sms_messages m where m.id = d.message), false)
      and d.waiting_for in ('', 'undo') and (d.device <> '' or d."user" in (select c."user" from choices c))
    order by d.due_at, d.position limit room for update skip locked
  );
end $$;
