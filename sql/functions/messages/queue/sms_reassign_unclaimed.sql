-- Reassigns unclaimed messages of devices that are deleted, disabled, offline or silent, up to `room` of
-- them, if their users have another device that takes them (sms_takes_from). A device is silent if it was
-- woken three times for a message, the pause after the last time has passed, and it claimed nothing for 45
-- s, or for 90 s if limits per minute delay its claims. Returns the devices to wake.
create or replace function sms_reassign_unclaimed(online_seconds float8, room int) returns table (device text)
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  since constant text := pb_text(now() - online_seconds * interval '1 second');
  unclaimed constant text := 'The device did not claim it';
  texts text[];
  whys text[];
begin
  with suspects as materialized (
    select p.device, case
        when v.id is null then 'The device was deleted'
        when not v.enabled then 'The device was disabled'
        when v.last_seen < since and not pb_is_set(v.push) then 'The device went offline'
        when not exists (
          select from device_handouts o where o.device = p.device and o.at > now() - case
            when v.per_minute > 0 or exists (select from lines l where l.device = v.id and l.per_minute > 0)
            then interval '90 seconds' else interval '45 seconds' end
        ) then unclaimed
      end as why
    from sms_queued_devices() p left join devices v on v.id = p.device
  ), judged as materialized (
    select s.device, s.why, t.takes_from from suspects s
    cross join lateral (
      select d."user" from sms_dispatch d
      where d.device = s.device and d.state = 'assigned' and not d.pinned
        and (s.why <> unclaimed or d.wakes > 3 or d.wakes = 3 and d.wake_at <= now())
      limit 1
    ) h
    cross join lateral (select sms_takes_from(h."user", since, s.device) as takes_from offset 0) t
    where s.why is not null and t.takes_from is not null
  ), found as (
    select d.message, s.why from judged s cross join lateral (
      select d.message from sms_dispatch d
      where d.device = s.device and d.state = 'assigned' and not d.pinned and d.priority >= s.takes_from
        and (s.why <> unclaimed or d.wakes > 3 or d.wakes = 3 and d.wake_at <= now())
      order by d.priority desc, d.position limit room for update skip locked
    ) d limit room
  )
  select array_agg(f.message), array_agg(f.why) into texts, whys from found f;
  return query select r.device from sms_reassign(texts, whys, online_seconds, false) r;
end $$;
