-- A conversation, or what somebody sent: see sms_messages_by_to.
create index sms_messages_by_from on sms_messages ("user", "from") where "from" <> '';
