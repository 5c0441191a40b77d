-- Conversations with a reminder, of a user by its time. The job reads all: one scan a minute.
create index conversations_follow_up on conversations ("user", follow_up_at) where follow_up_at <> '';
