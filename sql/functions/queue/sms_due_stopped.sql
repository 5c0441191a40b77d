-- Locks and returns up to `room` due messages that no device has, and whose recipients have opted out since
-- they were accepted. Planned for each call: the queue is often empty.
create or replace function sms_due_stopped(room int) returns text[]
language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  return array(
    with due as materialized (
      select d.message, d."user", (select m."to" from sms_messages m where m.id = d.message) as "to"
      from sms_dispatch d where d.state = 'pending' and d.due_at <= now()
    ), stopped as materialized (
      select w."user", unnest(consent_stopped(w."user", array_agg(distinct w."to"))) as number from due w group by w."user"
    )
    select d.message from sms_dispatch d
    where d.state = 'pending' and d.due_at <= now() and d.message = any(array(
      select w.message from due w join stopped s on s."user" = w."user" and s.number = w."to" limit room))
    order by d.message for update skip locked
  );
end $$;
