-- A person's conversations, the newest first. Accounts that assign none have no rows here.
create index conversations_mine on conversations ("user", assignee, last_at) where assignee <> '' and not archived;
