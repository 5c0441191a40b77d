-- Trigger of sms_messages: subtracts deleted messages from the totals. If no device has fetched a message,
-- gives back the room that it used on its line. Deletes rows of sms_origins without messages.
create or replace function sms_messages_went() returns trigger language plpgsql as $$
declare
  text record;
begin
  perform sms_count(tg_relid, w."user", -w.n) from (select "user", count(*) as n from went group by 1 order by 1) w;
  -- `skip locked`: a claim that runs now has locked the message's row of sms_dispatch, and waits for this
  -- delete. Such a message counts as sent.
  for text in
    select d.message, d.line, d.charged, w."to", d."user" from went w join sms_dispatch d on d.message = w.id
    where d.charged <> '' and d.state <> 'sending' order by d.message for update of d skip locked
  loop
    perform sms_line_refund(text.line, text.charged, text."to", text."user");
    update sms_dispatch d set charged = '' where d.message = text.message;
  end loop;
  delete from sms_origins o using went w where o.ref = w.id;
  delete from sms_origins o
  where o.ref in (select w.batch_id from went w where w.batch_id <> '')
    and not exists (select from sms_messages m where m.batch_id = o.ref and m.batch_id <> '');
  return null;
end $$;
