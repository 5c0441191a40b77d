-- Trigger of contacts: copies a contact's name to the conversation with its number, so that searching
-- conversations by name needs no join. A deadlock with a text of this number is possible and retried
-- (src/db/open.ts).
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
