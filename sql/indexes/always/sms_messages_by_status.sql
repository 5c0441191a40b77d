-- A user's messages of one status: 0.8 ms of CPU instead of 20 for a page of 102,000 messages. 90 bytes a
-- message.
create index sms_messages_by_status on sms_messages ("user", status, created);
