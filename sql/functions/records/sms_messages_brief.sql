-- Trigger of sms_messages: changes the brief rows of changed texts. Finds each by its whole key: compared as
-- rows, Postgres would read on to the last text of the account (80 ms of a hundred thousand texts). A plan
-- that was made while the table was empty must not read all rows, nor compare each row with each: so without
-- sequential scans and nested loops.
create or replace function sms_messages_brief() returns trigger language plpgsql
set enable_seqscan = off set enable_nestloop = off as $$
begin
  update sms_messages_brief b
  set "user" = w."user", status = w.status, message_type = w.message_type, created = w.created
  from written w
  where b._rowid = w._rowid and b.ctid = any (array(
      select (select k.ctid from sms_messages_brief k
        where k."user" = o."user" and k.status = o.status and k.created = o.created and k._rowid = o._rowid)
      from was o))
    and (b."user", b.status, b.message_type, b.created) <> (w."user", w.status, w.message_type, w.created);
  return null;
end $$;
