-- Trigger of _changes: adds the record's row if the writer gave only its id, and notifies the readers. The
-- row is current: the transaction holds its lock until the commit. The notification has no payload: readers
-- read _changes. A trigger of sms_messages notes new and changed messages: what writers of records, and
-- servers of the release before, note of them is left out, once that trigger is there.
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
  perform _announce('changes', '');
  return new;
end $$;
