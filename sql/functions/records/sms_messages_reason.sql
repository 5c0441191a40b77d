-- Trigger of sms_messages: gives a failed text a reason and takes the line from a pending one, whoever writes
-- it. The index sms_messages_failed_or_waiting needs this.
create or replace function sms_messages_reason() returns trigger language plpgsql as $$
begin
  if new.status = 'pending' then
    new.line := '';
  else
    new.error_message := 'Failed';
  end if;
  return new;
end $$;
