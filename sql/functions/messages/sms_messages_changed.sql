-- Trigger of sms_messages: adds the brief rows of new texts, and logs the rows that a statement wrote, for
-- realtime subscribers.
create or replace function sms_messages_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into sms_messages_brief ("user", status, message_type, created, _rowid)
    select w."user", w.status, w.message_type, w.created, w._rowid from written w;
  end if;
  if exists (select from _listeners where 'sms_messages' <> all (ignored)) then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', case tg_op when 'INSERT' then 'create' else 'update' end, w.id, row_to_json(w.*)
    from written w;
  end if;
  return null;
end $$;
