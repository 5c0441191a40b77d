create trigger contacts_consented_update after update on contacts
  for each row when (old.opted_out <> new.opted_out
    or new.opted_out and (old."user", old.phone) <> (new."user", new.phone))
  execute function contacts_consented();
