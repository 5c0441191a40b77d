create trigger sms_device_lines after insert or delete or update of "user", phone, sims on devices
  for each row execute function sms_device_lines();
