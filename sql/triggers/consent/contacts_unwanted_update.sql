create trigger contacts_unwanted_update after update on contacts
  for each row when (new.opted_out and (not old.opted_out or (old."user", old.phone) <> (new."user", new.phone)))
  execute function sms_texts_unwanted('phone');
