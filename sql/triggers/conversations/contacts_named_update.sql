create trigger contacts_named_update after update on contacts
  for each row when ((old."user", old.phone, old.name) <> (new."user", new.phone, new.name))
  execute function sms_conversation_named();
