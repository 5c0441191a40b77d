-- Trigger of sms_messages: a message that its phone held does not wait for it any more.
create or replace function sms_messages_unheld() returns trigger language plpgsql as $$
begin
  new.waiting_for := '';
  return new;
end $$;
