create trigger sms_messages_moved after update of "user" on sms_messages
  for each row when (old."user" <> new."user") execute function sms_messages_moved();
