-- Texts to a number, as in a conversation: 0.1 ms instead of 35 among 102,000 messages. A user's messages
-- sorted by number: from 2,040 ms to 1 among a million.
create index sms_messages_of_user_by_number on sms_messages ("user", "to", _rowid);
