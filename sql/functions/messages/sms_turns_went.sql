-- Trigger of sms_turns: adds the message count of a deleted row to sms_totals.
create or replace function sms_turns_went() returns trigger language plpgsql as $$
begin
  perform sms_count(to_regclass('sms_messages'), old."user", old.messages) where to_regclass('sms_messages') is not null;
  return null;
end $$;
