-- Counts the messages of each user, and has triggers of sms_messages count from now on
-- (src/sms/usage/totals.ts). Locking sms_turns first waits for running sends and keeps new ones out: a second
-- for some million messages.
create or replace function sms_count_all() returns void language plpgsql as $$
begin
  lock table sms_turns in exclusive mode;
  lock table sms_messages in share row exclusive mode;
  create or replace trigger came after insert on sms_messages referencing new table as came
    for each statement when (current_setting('pocketsms.counted', true) is distinct from 'yes')
    execute function sms_messages_came();
  create or replace trigger went after delete on sms_messages referencing old table as went
    for each statement execute function sms_messages_went();
  create or replace trigger moved after update of "user" on sms_messages
    for each row when (old."user" <> new."user") execute function sms_messages_moved();
  create or replace trigger emptied after truncate on sms_messages
    for each statement execute function sms_messages_emptied();
  update sms_turns set messages = 0 where messages <> 0;
  delete from sms_totals;
  insert into sms_totals (relation, "user", messages)
  select 'sms_messages'::regclass, "user", count(*) from sms_messages where "user" <> '' group by 2
  union all
  select 'sms_messages'::regclass, '', (select count(*) from sms_messages where "user" = '');
end $$;
