-- Superusers search for a number, or sort by number. `user` is included because Postgres may take this index
-- for one user's search, which then reads no messages of others. `_rowid` gives the order of insertion
-- without a sort: hundreds of thousands of incoming messages all have the empty number in `to`.
create index concurrently sms_messages_by_number on sms_messages ("to", _rowid, "user");
