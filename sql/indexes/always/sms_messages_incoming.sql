-- A user's incoming texts, for lists of SMSGate's client API. Leaves out delivered_at, so that delivery
-- reports do not have to write this index (HOT updates).
create index sms_messages_incoming on sms_messages ("user", created) where message_type = 'incoming';
