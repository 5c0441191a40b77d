-- Trigger of sms_messages: deletes the rows of Twilio's API for deleted messages.
create or replace function twilio_messages_went() returns trigger language plpgsql as $$
begin
  delete from twilio_messages t using went w where t.message = w.id;
  delete from twilio_answers a using went w where a.message = w.id;
  return null;
end $$;
