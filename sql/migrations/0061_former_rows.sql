-- The row before an update, for transactions that also delete: rules and expands of a deletion see the
-- records as they were before. Locks the log of changes for a moment.
alter table _changes add column former json;
