-- Has contacts keep the names of conversations from now on (src/sms/conversations/names.ts), and sets the
-- names that conversations lack. Changes of contacts wait meanwhile.
create or replace function sms_conversation_triggers() returns void language plpgsql as $$
begin
  lock table contacts in share row exclusive mode;
  create or replace trigger conversation_insert after insert on contacts
    for each row when (new.name <> '') execute function sms_conversation_named();
  create or replace trigger conversation_update after update on contacts
    for each row when ((old."user", old.phone, old.name) <> (new."user", new.phone, new.name))
    execute function sms_conversation_named();
  create or replace trigger conversation_delete after delete on contacts
    for each row when (old.name <> '') execute function sms_conversation_named();
  update conversations c set name = k.name
  from contacts k where k."user" = c."user" and k.phone = c.number and k.name <> c.name;
end $$;
