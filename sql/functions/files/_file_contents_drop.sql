-- Deletes those of some contents that no file names any more. Leaves out those that an upload or a deletion
-- has locked: its transaction may wait for locks of this one. The sweep `fileContents` finds what then stays.
create or replace function _file_contents_drop(contents bigint[]) returns void language plpgsql
  -- a plan made while the tables were empty would read all rows of full ones
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  unnamed bigint[];
begin
  select array_agg(c.id) into unnamed from (
    select id from _file_contents
    where id = any (contents) and not exists (select from _files f where f.content = _file_contents.id)
    order by id for update skip locked) c;
  if unnamed is null then
    return;
  end if;
  -- a new statement also sees the files of uploads that had locked a content until now
  delete from _file_contents c where c.id = any (unnamed) and not exists (select from _files f where f.content = c.id);
end $$;
