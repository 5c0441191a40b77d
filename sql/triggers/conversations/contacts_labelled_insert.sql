create trigger contacts_labelled_insert after insert on contacts
  for each row execute function labels_of_contact();
