create trigger contacts_labelled_update after update on contacts
  for each row when ((old."user", old.phone, old.labels) <> (new."user", new.phone, new.labels))
  execute function labels_of_contact();
