-- The pages of a user's conversations, the newest first: those that are archived, or the others.
create index conversations_by_time on conversations ("user", archived, last_at);
