-- Pages of a user's archived conversations, or of those not archived, newest first.
create index conversations_by_time on conversations ("user", archived, last_at);
