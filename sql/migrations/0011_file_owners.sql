-- Whose files are whose, as accounts may store so many bytes. _files is locked for an instant, as the column
-- has a constant default, and its index is built: a second for 100,000 files. Servers of the release before
-- name no owner: what they store meanwhile does not count.

alter table _files add column owner text collate "C" not null default '';
do $$ begin
  if exists (select from information_schema.columns
    where table_schema = current_schema() and table_name = 'sms_messages' and column_name = 'attachments') then
    update _files f set owner = m."user" from sms_messages m
    where f.collection = 'sms_messages' and f.record = m.id and f.thumb = '';
  end if;
end $$;
create index _files_owner on _files (owner) include (size) where owner <> '';
