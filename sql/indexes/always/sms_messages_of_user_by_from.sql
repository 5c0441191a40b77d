-- A user's texts from a number, as a conversation reads them: see sms_messages_of_user_by_number.sql.
-- `_rowid` lets exports and erasures of a person page through them.
create index sms_messages_of_user_by_from on sms_messages ("user", "from", _rowid) where "from" <> '';
