-- True if a device's own limits allow it another message now. 0 means no limit.
create or replace function sms_is_below_limits(device_id text, per_minute float8, daily_limit float8)
returns boolean
language sql stable as $$
  select sms_device_room_at(device_id, per_minute, daily_limit) is null
$$;
