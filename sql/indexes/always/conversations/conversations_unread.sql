-- Counts the unread conversations of a user, which every page of the console shows.
create index conversations_unread on conversations ("user", last_at) where unread > 0;
