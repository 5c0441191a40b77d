-- Trigger of contacts: copies a contact's name to the conversation with the contact's number, so that a
-- search for conversations by name needs no join. May deadlock with a text to or from that number; then
-- src/platform/db/open.ts repeats the transaction.
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
