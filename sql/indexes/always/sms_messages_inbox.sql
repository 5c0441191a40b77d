-- A user's incoming texts by the time that they came at: lists of SMSGate's client API.
create index sms_messages_inbox on sms_messages ("user", delivered_at, id) where message_type = 'incoming';
