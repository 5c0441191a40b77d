-- Deleting or redacting a message clears its text in the conversation.
create index conversations_by_message on conversations (last_message) where last_message <> '';
