-- Counts new messages, except those of sms_accept, which counts its messages itself.
create trigger sms_messages_came after insert on sms_messages referencing new table as came
  for each statement when (current_setting('pocketsms.counted', true) is distinct from 'yes')
  execute function sms_messages_came();
