-- Trigger of sms_messages: keeps the brief rows of changed texts. Deletes those of the old rows and adds the
-- new ones, unless nothing in them changed. Compares whole keys as rows, which only the primary key can find:
-- a plan that was made while the table was empty might read all rows of an account.
create or replace function sms_messages_brief() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from sms_messages_brief where ctid = any (array(
    select (select b.ctid from sms_messages_brief b
      where (b."user", b.status, b.created, b._rowid) >= (o."user", o.status, o.created, o._rowid)
        and (b."user", b.status, b.created, b._rowid) <= (o."user", o.status, o.created, o._rowid))
    from (
      select w."user", w.status, w.message_type, w.created, w._rowid from was w
      except select w."user", w.status, w.message_type, w.created, w._rowid from written w
    ) o));
  if found then
    insert into sms_messages_brief ("user", status, message_type, created, _rowid)
    select w."user", w.status, w.message_type, w.created, w._rowid from written w
    except select w."user", w.status, w.message_type, w.created, w._rowid from was w;
  end if;
  return null;
end $$;
