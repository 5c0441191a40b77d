-- Trigger of sms_messages: deletes the stored TwiML answers to deleted messages.
create or replace function twilio_messages_went() returns trigger language plpgsql as $$
begin
  delete from twilio_answers a using went w where a.message = w.id;
  return null;
end $$;
