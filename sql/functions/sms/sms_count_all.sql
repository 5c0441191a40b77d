-- Counts the messages of each user; triggers of sms_messages keep the counts from then on (src/sms/usage.ts).
-- Locks sms_turns first: that waits for running sends and holds up new ones, a second for some million
-- messages.
create or replace function sms_count_all() returns void language plpgsql as $$
begin
  lock table sms_turns in exclusive mode;
  lock table sms_messages in share row exclusive mode;
  update sms_turns set messages = 0 where messages <> 0;
  delete from sms_totals;
  insert into sms_totals (relation, "user", messages)
  select 'sms_messages'::regclass, "user", count(*) from sms_messages where "user" <> '' group by 2
  union all
  select 'sms_messages'::regclass, '', (select count(*) from sms_messages where "user" = '');
end $$;
