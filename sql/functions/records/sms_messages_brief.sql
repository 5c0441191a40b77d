-- Trigger of sms_messages: changes the brief rows of changed texts. Finds them by whole keys, compared as
-- rows, which only the primary key can find: a plan that was made while the table was empty might read all
-- rows of an account. Without nested loops, such a plan does not compare each row with each, either.
create or replace function sms_messages_brief() returns trigger language plpgsql
set enable_seqscan = off set enable_nestloop = off as $$
begin
  update sms_messages_brief b
  set "user" = w."user", status = w.status, message_type = w.message_type, created = w.created
  from written w
  where b._rowid = w._rowid and b.ctid = any (array(
      select (select k.ctid from sms_messages_brief k
        where (k."user", k.status, k.created, k._rowid) >= (o."user", o.status, o.created, o._rowid)
          and (k."user", k.status, k.created, k._rowid) <= (o."user", o.status, o.created, o._rowid))
      from was o))
    and (b."user", b.status, b.message_type, b.created) <> (w."user", w.status, w.message_type, w.created);
  return null;
end $$;
