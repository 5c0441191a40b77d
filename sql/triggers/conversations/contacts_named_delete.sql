create trigger contacts_named_delete after delete on contacts
  for each row when (old.name <> '') execute function sms_conversation_named();
