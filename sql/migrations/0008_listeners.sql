-- Collections to which no client of a node is subscribed: changes are not logged for that node. Servers of
-- the release before leave the list empty. Locks the table for an instant, as the column has a constant
-- default.

alter table _listeners add column if not exists ignored text[] collate "C" not null default '{}';
