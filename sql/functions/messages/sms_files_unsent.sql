-- Trigger of sms_messages: deletes the files of a text that was refused or canceled, which no retry needs.
create or replace function sms_files_unsent() returns trigger language plpgsql as $$
begin
  if new.error_message in ('Recipient has opted out', 'No proof of consent', 'Recipient is on the stop list',
    'Destination not allowed', 'Canceled', 'Canceled on the phone')
  then
    update sms_messages m set attachments = '{}' where m.id = new.id;
    -- at once: another text of the same transaction may need the room
    delete from _files f where f.collection = 'sms_messages' and f.record = new.id;
  end if;
  return null;
end $$;
