-- A device is woken when it gets a message, and again after this time if it has not claimed the message.
-- Functions and statements in src/gateway use this value.
create or replace function sms_wake_interval() returns interval language sql immutable parallel safe as $$
  select interval '5 seconds'
$$;
