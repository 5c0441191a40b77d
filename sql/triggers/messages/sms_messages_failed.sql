-- Tells the conversation of a text to one number that the text has failed. Its condition is all that other
-- changes of a text pay for.
create constraint trigger sms_messages_failed after update on sms_messages deferrable initially deferred
  for each row when (new.status = 'failed' and old.status <> 'failed' and new.message_type = 'outgoing'
    and new.batch_id = '')
  execute function sms_conversation_failed();
