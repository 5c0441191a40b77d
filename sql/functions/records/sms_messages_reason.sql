-- Trigger of sms_messages: a failed text has a reason, and a pending one no line, whoever writes it. The
-- index sms_messages_failed_or_waiting finds them by that.
create or replace function sms_messages_reason() returns trigger language plpgsql as $$
begin
  if new.status = 'pending' then
    new.line := '';
  else
    new.error_message := 'Failed';
  end if;
  return new;
end $$;
