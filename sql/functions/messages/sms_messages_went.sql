-- Trigger of sms_messages: deletes the brief rows of deleted messages, and subtracts the messages from the
-- totals. If no device has fetched a message, gives back the room that it used on its line. Deletes rows of
-- sms_origins without messages. Keeps the ids of texts that a phone reports: received ones, and those that
-- its owner typed. Each brief row is looked up by itself, by
-- its whole key: a join, planned while the table was empty, took more than 30 s to delete 20,000 messages.
create or replace function sms_messages_went() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  text record;
begin
  delete from sms_messages_brief where ctid = any (array(
    select (select b.ctid from sms_messages_brief b
      where b."user" = w."user" and b.status = w.status and b.created = w.created and b._rowid = w._rowid)
    from went w));
  perform sms_count(tg_relid, w."user", -w.n) from (select "user", count(*) as n from went group by 1 order by 1) w;
  -- `skip locked`: a claim that runs now has locked the message's row of sms_dispatch, and waits for this
  -- delete. Such a message counts as sent.
  for text in
    select d.message, d.line, d.charged, d.cost, w."to", d."user" from went w join sms_dispatch d on d.message = w.id
    where d.charged <> '' and d.state <> 'sending' order by d.message for update of d skip locked
  loop
    perform sms_line_refund(text.line, text.charged, text."to", text.cost, text."user");
    update sms_dispatch d set charged = '', cost = null where d.message = text.message;
  end loop;
  delete from sms_origins o using went w where o.ref = w.id;
  insert into _texts_forgotten (id)
  select w.id from went w
  where w.message_type = 'incoming' or starts_with(w.client_ref, 'phone:')
  on conflict do nothing;
  delete from sms_origins o
  where o.ref in (select w.batch_id from went w where w.batch_id <> '')
    and not exists (select from sms_messages m where m.batch_id = o.ref and m.batch_id <> '');
  return null;
end $$;
