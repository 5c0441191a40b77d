-- The conversations assigned to a person, newest first. It has no entries of accounts that assign none.
create index conversations_mine on conversations ("user", assignee, last_at) where assignee <> '' and not archived;
