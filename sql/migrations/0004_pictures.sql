-- Files that come with an MMS. Locks sms_messages for an instant, to add a column with a constant default and
-- the triggers of file fields. If an installation added file fields, or a field of this name, to messages,
-- the start adds the field later: the triggers must name all file fields. On a new installation the table
-- does not exist yet: it is created with the field.
do $$ begin
  if to_regclass('sms_messages') is null or exists (
    select from _collections c, json_array_elements(c.data -> 'fields') f
    where c.id = 'sms_messages' and (f ->> 'type' = 'file' or f ->> 'name' = 'attachments')
  ) then
    return;
  end if;
  alter table sms_messages add column attachments text[] collate "C" not null default '{}';
  create constraint trigger _files_changed after update on sms_messages deferrable initially deferred for each row
    when (old.attachments is distinct from new.attachments)
    execute function _files_named('sms_messages', 'b."attachments"');
  create constraint trigger _files_deleted after delete on sms_messages deferrable initially deferred for each row
    when (old.attachments <> '{}') execute function _files_named('sms_messages', 'b."attachments"');
  -- adds the field, too: a column without its optional field would count as a field that somebody removed
  update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
    || ',{"help":"","hidden":false,"id":"file1204091606","maxSelect":10,"maxSize":0,"mimeTypes":[],"name":"attachments",'
    || '"presentable":false,"protected":true,"required":false,"system":false,"thumbs":["480x480f"],"type":"file"}]')::json
  where id = 'sms_messages';
end $$;
