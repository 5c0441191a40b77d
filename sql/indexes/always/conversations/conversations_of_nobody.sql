-- A user's conversations that are assigned to nobody, newest first.
create index conversations_of_nobody on conversations ("user", last_at)
  where assignee = '' and not archived and not blocked;
