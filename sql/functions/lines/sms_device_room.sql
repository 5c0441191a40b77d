-- Trigger of devices. Makes the next sweep of the queue try messages again that wait for room on the user's
-- lines: after a device was not seen for two minutes, was enabled or disabled, or got other limits.
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
