-- A user's incoming texts, for lists of SMSGate's client API. Without delivered_at, so that reports stay HOT.
create index sms_messages_incoming on sms_messages ("user", created) where message_type = 'incoming';
