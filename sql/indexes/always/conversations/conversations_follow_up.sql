-- A user's conversations with a reminder, by its time. A job scans this index once a minute.
create index conversations_follow_up on conversations ("user", follow_up_at) where follow_up_at <> '';
