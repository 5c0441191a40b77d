-- 0006 what tells subscribers of changed records.

-- One row a changed record, written in the transaction of the change, and only while somebody listens.
create table _changes (
  position bigint generated always as identity primary key,
  -- the collection's id
  collection text collate "C" not null,
  action text collate "C" not null check (action in ('create', 'update', 'delete')),
  record text collate "C" not null,
  -- of a deleted record its last values, since nobody can read them any more
  deleted json,
  at timestamptz not null default now()
);

-- The nodes with at least one subscriber. While there is none, a change costs one look into this empty table.
create table _listeners (
  node text collate "C" primary key,
  seen timestamptz not null default now()
);

-- One NOTIFY a transaction, at its commit: Postgres drops repetitions. It only wakes, the rows tell.
create function _changes_tell() returns trigger language plpgsql as $$
begin
  perform pg_notify('changes', '');
  return null;
end $$;
create trigger tell after insert on _changes for each row execute function _changes_tell();
