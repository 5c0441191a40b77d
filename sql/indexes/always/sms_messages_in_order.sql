-- A user's messages in the order of insertion, which is the order of lists without a sort. The first page of
-- a user whose messages came after 200,000 of others takes 0.1 ms with this index, 350 ms without it. No
-- _rowid is null: `nulls first` only makes the order differ from that of the index on _rowid alone, which
-- Postgres would otherwise use, reading the rows of all users.
create index sms_messages_in_order on sms_messages ("user", _rowid nulls first);
