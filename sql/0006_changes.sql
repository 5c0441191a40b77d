-- 0006 what tells subscribers of changed records.

-- One row a changed record, written in the transaction of the change, and only while somebody listens.
create table _changes (
  -- the changes of one record are in this order: who writes it next waits for the one before
  position bigint generated always as identity primary key,
  -- the transaction: a reader takes what its last look could not see, however late it was committed
  xid xid8 not null default pg_current_xact_id(),
  -- the collection's id
  collection text collate "C" not null,
  action text collate "C" not null check (action in ('create', 'update', 'delete')),
  record text collate "C" not null,
  -- the record's row as this change left it, or as it was before it was deleted
  image json
);
create index _changes_xid on _changes (xid, collection, record, position);

-- The nodes with at least one subscriber. While there is none, a change costs one look into this empty table.
create table _listeners (
  node text collate "C" primary key,
  seen timestamptz not null default now()
);

-- Adds the image where whoever noted the change had only the id at hand: the row is already as the change left it,
-- and nobody else can write it before the commit. One NOTIFY a transaction, at its commit: Postgres drops
-- repetitions. It only wakes, the rows tell.
create function _changes_note() returns trigger language plpgsql as $$
declare
  source regclass;
begin
  if new.image is null then
    select to_regclass(quote_ident(c.name)) into source from _collections c where c.id = new.collection;
    if source is not null then
      execute format('select row_to_json(t) from %s t where t.id = $1', source) into new.image using new.record;
    end if;
  end if;
  perform pg_notify('changes', '');
  return new;
end $$;
create trigger note before insert on _changes for each row execute function _changes_note();

-- Subscriptions that arrived at another node than the one that holds the client's connection: `request` for that
-- node, then its `answer`.
create table _subscribing (
  id text collate "C" primary key,
  node text collate "C" not null,
  request json not null,
  answer json,
  at timestamptz not null default now()
);
