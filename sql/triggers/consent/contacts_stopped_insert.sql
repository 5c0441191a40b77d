create trigger contacts_stopped_insert before insert on contacts
  for each row when (not new.opted_out) execute function contacts_stopped();
