-- Trigger of sms_messages: logs the rows that a statement wrote, for realtime subscribers.
create or replace function sms_messages_changed() returns trigger language plpgsql as $$
begin
  if exists (select from _listeners where 'sms_messages' <> all (ignored)) then
    insert into _changes (collection, action, record, image)
    select 'sms_messages', case tg_op when 'INSERT' then 'create' else 'update' end, w.id, row_to_json(w.*)
    from written w;
  end if;
  return null;
end $$;
