create trigger senders_of_members after insert on members
  for each row execute function senders_noted('member');
