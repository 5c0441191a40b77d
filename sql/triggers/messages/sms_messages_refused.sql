-- As sms_messages_failed, for a text that is refused when it is accepted.
create constraint trigger sms_messages_refused after insert on sms_messages deferrable initially deferred
  for each row when (new.status = 'failed' and new.message_type = 'outgoing' and new.batch_id = '')
  execute function sms_conversation_failed();
