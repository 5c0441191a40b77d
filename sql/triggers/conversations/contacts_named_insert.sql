create trigger contacts_named_insert after insert on contacts
  for each row when (new.name <> '') execute function sms_conversation_named();
