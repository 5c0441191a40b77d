-- Whether a device that was not seen for long counts as silent. One with push counts only after it has
-- ignored 5 wake-ups for a message, which takes 2 minutes. A device that was never seen does not count.
create or replace function alarms_is_silent(device_id text, seen text, push json) returns boolean
language sql stable as $$
  select seen <> '' and (not pb_is_set(push) or exists (
    select from sms_dispatch q where q.device = device_id and q.state = 'assigned' and q.wakes >= 5))
$$;
