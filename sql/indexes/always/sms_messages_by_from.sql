-- Texts from a number, as in a conversation: see sms_messages_of_user_by_number.
create index sms_messages_by_from on sms_messages ("user", "from") where "from" <> '';
