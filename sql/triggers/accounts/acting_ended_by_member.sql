create trigger acting_ended_by_member after delete or update of role on members
  for each row execute function acting_ended();
