-- A user's conversations with a reminder, in the order of its time. A job scans this index each minute.
create index conversations_follow_up on conversations ("user", follow_up_at) where follow_up_at <> '';
