create trigger conversations_labelled_insert after insert on conversations
  for each row execute function labels_of_conversation();
