-- 0013 what is in the files that records name.

-- One row a file, and one for each of its thumbnails, which go with it.
create table _files (
  id bigint generated always as identity primary key,
  -- the collection's id
  collection text collate "C" not null,
  record text collate "C" not null,
  -- as the record has it
  name text collate "C" not null,
  -- of a thumbnail: its size, as it is asked for
  thumb text collate "C" not null default '',
  original bigint references _files on delete cascade,
  size bigint not null,
  -- MIME type, told by the content
  type text collate "C" not null,
  modified timestamptz not null default now(),
  unique (collection, record, name, thumb)
);
create index _files_original on _files (original) where original is not null;

-- The contents, cut into pieces of the same size but for the last, so that a part of a file can be read alone.
create table _file_chunks (
  file bigint not null references _files on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (file, part)
);
-- most files are packed already: trying again costs time and gains nothing
alter table _file_chunks alter column content set storage external;

-- Whatever statement changes or deletes a record: at the commit its files are those that it names. Triggers with this
-- function stand on the tables of collections with file fields (src/collections/file-guard.ts); their arguments are the
-- collection's id and an expression for the names in a row `b`. At the commit, and not before, since an import may
-- delete a record and store it again.
create function _files_named() returns trigger language plpgsql as $$
declare
  names text[];
begin
  if not exists (select from _files where collection = tg_argv[0] and record = old.id) then
    return null;
  end if;
  execute format('select %s from %s b where b.id = $1', tg_argv[1], tg_relid::regclass) into names using old.id;
  delete from _files
    where collection = tg_argv[0] and record = old.id and name <> all (coalesce(names, '{}'));
  return null;
end $$;
