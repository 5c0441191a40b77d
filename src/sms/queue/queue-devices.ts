/**
 * SQL of a table with the devices that hold messages of the queue: one look into the index for each, from one
 * to the next, where `distinct` reads the whole queue. With 200,000 messages of three devices 0.1 ms, not 25.
 */
export const DEVICES_IN_QUEUE = `(
  with recursive held(device) as (
    (select device from sms_dispatch where device > '' order by device limit 1)
    union all
    select (select q.device from sms_dispatch q where q.device > h.device order by q.device limit 1)
    from held h where h.device is not null
  ) select device from held where device is not null)`
