-- The account that owns each file, because accounts may store a limited number of bytes. Locks _files for an
-- instant to add a column with a constant default, and while an index is built: a second for 100,000 files.
-- Servers of the release before set no owner, so the files that they store do not count.

alter table _files add column owner text collate "C" not null default '';
do $$ begin
  if exists (select from information_schema.columns
    where table_schema = current_schema() and table_name = 'sms_messages' and column_name = 'attachments') then
    update _files f set owner = m."user" from sms_messages m
    where f.collection = 'sms_messages' and f.record = m.id and f.thumb = '';
  end if;
end $$;
create index _files_owner on _files (owner) include (size) where owner <> '';
