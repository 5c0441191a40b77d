-- Finds the conversation by its last text, when that text is deleted or redacted.
create index conversations_by_message on conversations (last_message) where last_message <> '';
