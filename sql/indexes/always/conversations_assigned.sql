-- When a person was last given a conversation, and all that a removed member had.
create index conversations_assigned on conversations ("user", assignee, assigned_at) where assignee <> '';
