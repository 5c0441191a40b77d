-- Begins the conversation of `owner` with a phone number whose texts were stored under another number, or
-- brings its last text up to date.
create or replace function sms_conversation_heard(owner text, phone text) returns void language plpgsql as $$
declare
  written text;
begin
  insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, created, updated)
  select pb_new_id(), owner, phone, l.name, l.body, l.at, l.type, l.id, l.device, pb_text(now()), pb_text(now())
  from sms_conversation_last(owner, phone) l where l.id <> ''
  on conflict ("user", number) do update set last_text = excluded.last_text, last_at = excluded.last_at,
    last_type = excluded.last_type, last_message = excluded.last_message, device = excluded.device,
    updated = excluded.updated
  where excluded.last_at > conversations.last_at
  returning id into written;
  if written is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('conversations', 'update', written);
  end if;
end $$;
