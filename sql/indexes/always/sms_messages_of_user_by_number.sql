-- A user's texts to a number, as a conversation reads them: among 102,000 messages, 0.1 ms instead of 35 ms.
-- Also a user's messages sorted by number: among a million, 1 ms instead of 2,040 ms.
create index sms_messages_of_user_by_number on sms_messages ("user", "to", _rowid);
