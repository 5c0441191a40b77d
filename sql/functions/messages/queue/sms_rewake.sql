-- Notes that devices are woken for up to `room` unclaimed messages, and returns the devices: 5, 15, 45 and
-- 120 s after a message's assignment, then every 5 minutes. Planned for each call: a plan for an empty
-- queue took 1.3 s instead of 50 ms.
create or replace function sms_rewake(room int) returns table (device text)
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  with late as (
    select d.message from sms_dispatch d where d.state = 'assigned' and d.wake_at <= now()
    order by d.wake_at limit room for update skip locked
  ), woken as (
    update sms_dispatch d
    set wakes = d.wakes + 1,
      wake_at = now() + coalesce((array[5, 10, 30, 75])[d.wakes + 1], 300) * interval '1 second'
    from late where d.message = late.message
    returning d.device
  )
  select distinct w.device from woken w;
end $$;
