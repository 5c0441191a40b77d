create trigger sms_messages_updated after update on sms_messages referencing new table as written
  for each statement execute function sms_messages_changed();
