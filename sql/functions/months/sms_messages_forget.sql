-- Deletes what other APIs keep of messages of a detached month: what sms_messages_went and
-- twilio_messages_went delete for messages that are deleted one by one.
create or replace function sms_messages_forget(ids text[], batches text[]) returns void language plpgsql as $$
begin
  delete from smsgate_sends s where s.ref = any(ids) and not s.is_batch;
  delete from smsgate_sends s where s.is_batch and s.ref = any(batches) and s.ref <> ''
    and not exists (select from sms_messages m where m.batch_id = s.ref and m.batch_id <> '');
  delete from twilio_messages t where t.message = any(ids);
  delete from twilio_answers a where a.message = any(ids);
end $$;
