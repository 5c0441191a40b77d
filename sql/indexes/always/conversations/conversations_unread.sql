-- How many conversations of a user are unread, which every page of the console shows.
create index conversations_unread on conversations ("user", last_at) where unread > 0;
