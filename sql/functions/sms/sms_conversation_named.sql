-- Trigger of contacts: keeps `name` of the conversation with a contact's number, so that the list of
-- conversations searches names without a join. Deadlocks with a text of the same number are possible and
-- retried (src/db/open.ts).
create or replace function sms_conversation_named() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or (old."user", old.phone) <> (new."user", new.phone)) then
    perform sms_conversation_rename(old."user", old.phone, '');
  end if;
  if tg_op <> 'DELETE' then
    perform sms_conversation_rename(new."user", new.phone, new.name);
  end if;
  return null;
end $$;
