create trigger sms_messages_reason before insert or update on sms_messages
  for each row when (new.status = 'failed' and new.error_message = '' or new.status = 'pending' and new.line <> '')
  execute function sms_messages_reason();
