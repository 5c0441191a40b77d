-- Trigger of sms_messages, also for writes by superusers: sets the reason of a failed text that has none, and
-- empties the line of a pending text. The index sms_messages_failed_or_waiting relies on this.
create or replace function sms_messages_reason() returns trigger language plpgsql as $$
begin
  if new.status = 'pending' then
    new.line := '';
  else
    new.error_message := 'Failed';
  end if;
  return new;
end $$;
