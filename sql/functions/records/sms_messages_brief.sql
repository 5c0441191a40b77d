-- Trigger of sms_messages: changes the brief row of a changed text. Compares whole keys as rows, which only
-- the primary key can find: a plan that was made while the table was empty might read all rows of an account.
create or replace function sms_messages_brief() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update sms_messages_brief b
  set "user" = new."user", status = new.status, message_type = new.message_type, created = new.created,
    _rowid = new._rowid
  where (b."user", b.status, b.created, b._rowid) >= (old."user", old.status, old.created, old._rowid)
    and (b."user", b.status, b.created, b._rowid) <= (old."user", old.status, old.created, old._rowid);
  return null;
end $$;
