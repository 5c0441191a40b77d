create trigger sms_messages_created after insert on sms_messages referencing new table as written
  for each statement execute function sms_messages_changed();
