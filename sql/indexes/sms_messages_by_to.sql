-- A conversation, or what somebody was sent: 0.1 ms instead of 35 among 102,000 messages.
create index sms_messages_by_to on sms_messages ("user", "to") where "to" <> '';
