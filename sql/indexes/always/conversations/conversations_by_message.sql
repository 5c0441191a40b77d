-- Finds the conversation whose last text is a message that is deleted or redacted.
create index conversations_by_message on conversations (last_message) where last_message <> '';
