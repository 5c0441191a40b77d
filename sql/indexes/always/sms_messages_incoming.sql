-- A user's incoming texts: lists of SMSGate's client API. Without delivered_at, which a report changes.
create index sms_messages_incoming on sms_messages ("user", created) where message_type = 'incoming';
