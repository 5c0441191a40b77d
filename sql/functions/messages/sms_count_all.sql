-- Counts the messages of each user. From then on, triggers of sms_messages update the counts
-- (src/gateway/messages/message-totals.ts). The lock on sms_turns waits until running calls of sms_accept
-- end. New calls then wait for the count, which takes about a second for some million messages.
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
