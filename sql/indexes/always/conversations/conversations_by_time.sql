-- Pages of a user's archived conversations, or of those that are not, newest first.
create index conversations_by_time on conversations ("user", archived, last_at);
