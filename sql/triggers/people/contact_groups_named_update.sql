create trigger contact_groups_named_update before update of name, "user" on contact_groups
  for each row when (old.name <> new.name or old."user" <> new."user")
  execute function contact_groups_named('7367060');
