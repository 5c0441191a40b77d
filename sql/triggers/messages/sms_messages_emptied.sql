create trigger sms_messages_emptied after truncate on sms_messages
  for each statement execute function sms_messages_emptied();
