-- The blocked numbers of a user.
create index conversations_blocked on conversations ("user", last_at) where blocked;
