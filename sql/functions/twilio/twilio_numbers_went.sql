-- Trigger of devices: deletes what Twilio's API stored about the phone numbers of deleted devices.
create or replace function twilio_numbers_went() returns trigger language plpgsql as $$
begin
  delete from twilio_numbers n using went w where n.device = w.id;
  return null;
end $$;
