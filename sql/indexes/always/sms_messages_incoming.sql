-- A user's incoming texts, for lists of SMSGate's client API. Without delivered_at, so that delivery reports
-- stay HOT updates.
create index sms_messages_incoming on sms_messages ("user", created) where message_type = 'incoming';
