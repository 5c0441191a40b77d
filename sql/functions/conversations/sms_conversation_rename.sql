-- Sets the name of the conversation of `owner` with a phone number, unless it has that name already.
create or replace function sms_conversation_rename(owner text, phone text, contact_name text) returns void
language plpgsql as $$
declare
  changed text;
begin
  update conversations c set name = contact_name, updated = pb_text(now())
  where c."user" = owner and c.number = phone and c.name <> contact_name
  returning c.id into changed;
  if changed is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('conversations', 'update', changed);
  end if;
end $$;
