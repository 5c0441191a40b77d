create trigger sms_messages_went after delete on sms_messages referencing old table as went
  for each statement execute function sms_messages_went();
