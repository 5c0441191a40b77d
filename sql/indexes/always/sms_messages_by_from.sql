-- A user's texts from a number, as a conversation reads them: see sms_messages_of_user_by_number.sql.
create index sms_messages_by_from on sms_messages ("user", "from") where "from" <> '';
