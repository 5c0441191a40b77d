-- Superusers look for a number, or sort by it. With the user, so that a search of one user, for whom Postgres
-- may take it too, reads no messages of others. Incoming messages have no number there: hundreds of thousands
-- with the same one, which have to come in the order of insertion without being sorted.
create index concurrently sms_messages_by_number on sms_messages ("to", _rowid, "user");
