-- Trigger of _changes, the log for realtime subscribers, for entries without the record's row and those that
-- no trigger wrote. Adds the row: it is current, since the transaction has it locked. Drops entries of new
-- and changed messages that the trigger sms_messages_updated, where it exists, logs already.
create or replace function _changes_note() returns trigger language plpgsql as $$
declare
  source regclass;
begin
  if new.collection = 'sms_messages' and new.action <> 'delete' and pg_trigger_depth() = 1
    and exists (select from pg_trigger where tgname = 'sms_messages_updated') then
    return null;
  end if;
  if new.image is null then
    select to_regclass(quote_ident(c.name)) into source from _collections c where c.id = new.collection;
    if source is not null then
      execute format('select row_to_json(t.*) from %s t where t.id = $1', source) into new.image using new.record;
    end if;
  end if;
  return new;
end $$;
