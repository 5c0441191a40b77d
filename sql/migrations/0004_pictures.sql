-- Files that come with an MMS. sms_messages is locked for an instant: the column has a constant default, and
-- the triggers are those of any file field. An installation whose messages have file fields of its own, or a
-- field of this name, gets the field when collections are looked at: its triggers must know all of them. The
-- table of a new installation does not exist yet: its collection has the field.
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
  -- An optional field whose column exists counts as removed on purpose: the field comes with its column.
  update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
    || ',{"help":"","hidden":false,"id":"file1204091606","maxSelect":10,"maxSize":0,"mimeTypes":[],"name":"attachments",'
    || '"presentable":false,"protected":true,"required":false,"system":false,"thumbs":["480x480f"],"type":"file"}]')::json
  where id = 'sms_messages';
end $$;
