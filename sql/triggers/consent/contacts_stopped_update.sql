create trigger contacts_stopped_update before update on contacts
  for each row when (not new.opted_out and (old."user", old.phone) <> (new."user", new.phone))
  execute function contacts_stopped();
