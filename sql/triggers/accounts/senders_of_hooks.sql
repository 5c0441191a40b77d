create trigger senders_of_hooks after insert or update of name on hooks
  for each row execute function senders_noted('hook');
