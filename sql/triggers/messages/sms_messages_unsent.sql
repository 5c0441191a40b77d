-- Deletes the files of a text that was refused or canceled. Its condition is all that other texts pay for.
create trigger sms_messages_unsent after insert or update on sms_messages
  for each row when (new.status = 'failed' and new.message_type = 'outgoing' and new.attachments <> '{}')
  execute function sms_files_unsent();
