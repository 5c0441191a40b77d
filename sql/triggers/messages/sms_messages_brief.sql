-- Keeps the brief rows of changed texts. Creating the trigger locks the table against writes,
-- so that the brief rows of all texts can be written here: at the first start, after an upgrade or a restore,
-- 5 s for a million texts. The fillfactor of sms_messages leaves room in a page for new versions of a text:
-- without it, only two of three updates in a burst were HOT, with 80 nine of ten. Any other update writes
-- eight indexes.
alter table sms_messages set (fillfactor = 70);
create trigger sms_messages_brief after update on sms_messages referencing old table as was new table as written
  for each statement execute function sms_messages_brief();
truncate sms_messages_brief;
insert into sms_messages_brief ("user", status, message_type, created, _rowid)
select "user", status, message_type, created, _rowid from sms_messages order by 1, 2, 4, 5;
