-- Trigger of sms_turns: keeps the count of a deleted row in sms_totals.
create or replace function sms_turns_went() returns trigger language plpgsql as $$
begin
  perform sms_count(to_regclass('sms_messages'), old."user", old.messages) where to_regclass('sms_messages') is not null;
  return null;
end $$;
