-- Collections of which no client of a node hears: their changes are not logged for it. A server of the
-- release before ignores none. The table is locked for an instant: the column has a constant default.

alter table _listeners add column if not exists ignored text[] collate "C" not null default '{}';
