-- Trigger of sms_messages: counts messages that another user owns now.
create or replace function sms_messages_moved() returns trigger language plpgsql as $$
begin
  perform sms_count('sms_messages'::regclass, old."user", -1);
  perform sms_count('sms_messages'::regclass, new."user", 1);
  return null;
end $$;
