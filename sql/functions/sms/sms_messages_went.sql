-- Trigger of sms_messages: counts deleted messages, and forgets the sends of SMSGate's client API that have
-- no message left.
create or replace function sms_messages_went() returns trigger language plpgsql as $$
begin
  perform sms_count(tg_relid, w."user", -w.n) from (select "user", count(*) as n from went group by 1 order by 1) w;
  delete from smsgate_sends s using went w where s.ref = w.id and not s.is_batch;
  delete from smsgate_sends s
  where s.is_batch and s.ref in (select w.batch_id from went w where w.batch_id <> '')
    and not exists (select from sms_messages m where m.batch_id = s.ref and m.batch_id <> '');
  return null;
end $$;
