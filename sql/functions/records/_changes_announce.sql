-- Trigger of _changes: notifies the readers of the log, once for the entries of a statement.
create or replace function _changes_announce() returns trigger language plpgsql as $$
begin
  if exists (select from added) then
    perform _announce('changes', '');
  end if;
  return null;
end $$;
