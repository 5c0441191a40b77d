-- How many messages wait for a device.
create or replace function alarms_waiting(of_user text, of_device text) returns bigint language sql stable as $$
  select count(*) from sms_dispatch q where q.device = of_device and q."user" = of_user and q.state <> 'pending'
$$;
