-- Counts of texts by status, of an account or of all: 800,000 among a million take 50 ms instead of 72 with
-- the primary key. The key's entries are equal for many texts, so the index takes 7 bytes for each.
create index concurrently sms_messages_brief_by_status on sms_messages_brief (status, "user", message_type);
