-- Trigger of _files: deletes contents with the last file that names them, at once. Another file of the same
-- transaction may need the room.
create or replace function _file_contents_unnamed() returns trigger language plpgsql as $$
begin
  perform _file_contents_drop(array(select distinct d.content from deleted d));
  return null;
end $$;
