create trigger contacts_unwanted_insert after insert on contacts
  for each row when (new.opted_out) execute function sms_texts_unwanted('phone');
