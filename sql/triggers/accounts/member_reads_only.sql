create trigger member_reads_only after update of role on members
  for each row when (new.role = 'viewer' and old.role <> 'viewer') execute function member_left();
