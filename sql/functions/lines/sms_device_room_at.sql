-- The earliest time at which a device that has reached its own limits may take a message; null if it may now.
create or replace function sms_device_room_at(device_id text, per_minute float8, daily_limit float8)
returns timestamptz language sql stable as $$
  select greatest(
    case when per_minute > 0 and per_minute <= sum(h.messages) filter (where h.at > now() - interval '1 minute')
      then min(h.at) filter (where h.at > now() - interval '1 minute') + interval '1 minute' end,
    case when daily_limit > 0 and daily_limit <= sum(h.messages) then min(h.at) + interval '1 day' end
  ) from device_handouts h where h.device = device_id and h.at > now() - interval '1 day'
$$;
