create trigger contact_groups_named_insert before insert on contact_groups
  for each row execute function contact_groups_named('7367060');
