-- Trigger of devices: when a device is seen again after two minutes, is enabled or disabled, or gets other
-- limits, the next sweep tries its user's messages that wait for room again.
create or replace function sms_device_room() returns trigger language plpgsql as $$
begin
  if (old.enabled, old.per_minute, old.daily_limit) is distinct from (new.enabled, new.per_minute, new.daily_limit)
    or new.last_seen <> '' and new.last_seen::timestamptz > coalesce(
      nullif(old.last_seen, '')::timestamptz + interval '2 minutes', '-infinity')
  then
    perform sms_look_for_room(new."user");
  end if;
  return null;
end $$;
