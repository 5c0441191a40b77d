-- Trigger of sms_messages: when a message gets another owner, corrects the totals of both users.
create or replace function sms_messages_moved() returns trigger language plpgsql as $$
begin
  perform sms_count('sms_messages'::regclass, old."user", -1);
  perform sms_count('sms_messages'::regclass, new."user", 1);
  return null;
end $$;
