-- A user's messages in the order of insertion, which is the order of lists without a sort. Without it the
-- first page of a user who came after 200,000 messages of others takes 350 ms, with it 0.1. No row has a null
-- there; `nulls first` makes this order another one than that of the index on _rowid alone, which Postgres
-- would follow through the rows of all users.
create index sms_messages_in_order on sms_messages ("user", _rowid nulls first);
