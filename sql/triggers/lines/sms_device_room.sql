create trigger sms_device_room after update of enabled, last_seen, per_minute, daily_limit on devices
  for each row execute function sms_device_room();
