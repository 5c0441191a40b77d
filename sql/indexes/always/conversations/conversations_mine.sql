-- The conversations assigned to a person, newest first. Accounts that assign none have no entries here.
create index conversations_mine on conversations ("user", assignee, last_at) where assignee <> '' and not archived;
