-- Finds when each person was last assigned a conversation, and all conversations of a removed member.
create index conversations_assigned on conversations ("user", assignee, assigned_at) where assignee <> '';
