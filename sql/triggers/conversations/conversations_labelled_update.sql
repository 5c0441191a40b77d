create trigger conversations_labelled_update after update on conversations
  for each row when ((old."user", old.number, old.labels) <> (new."user", new.number, new.labels))
  execute function labels_of_conversation();
