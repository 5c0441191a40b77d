-- Trigger of webhook_dispatch for the new events of a statement, at its end: creates the record and the
-- payload of each delivery, with the message's row as that statement left it. Deletes a delivery whose
-- message was deleted, or is none that the webhook asks for: `device` names one device, `smsgate_event` an
-- event of SMSGate, which has cancellations and binary texts as events of their own. One with a target
-- of its own belongs to no webhook.
-- Postgres merges the notifications of one transaction into one.
-- Once a statement, not once a row: 200,000 deliveries of one send took 22.7 s with a trigger for each row.
create or replace function webhook_noted() returns trigger language plpgsql as $$
declare
  moment constant text := pb_text(now());
begin
  if not exists (select from added a where a.event_id is not null) then return null; end if;
  delete from webhook_dispatch d using added a
  where d.delivery = a.delivery and a.event_id is not null and a.image is null
    and not exists (select from sms_messages m where m.id = a.message);
  delete from webhook_dispatch d using added a, sms_messages m, (
    select f.id, f.device, f.smsgate_event as event from webhooks f
    where f.id in (select distinct webhook from added) and (f.device <> '' or f.smsgate_event <> '')
  ) w
  where d.delivery = a.delivery and a.event_id is not null and a.image is null and m.id = a.message
    and w.id = a.webhook and not (
      (w.device = '' or w.device = m.device) and case w.event
        when 'sms:failed' then m.error_message <> 'Canceled'
        when 'sms:cancelled' then m.error_message = 'Canceled'
        when 'sms:received' then not starts_with(m.body, 'data:application/octet-stream;base64,')
        when 'sms:data-received' then starts_with(m.body, 'data:application/octet-stream;base64,')
        else true end
    );
  insert into webhook_payloads (delivery, at, image, target)
  select a.delivery, now(), coalesce(a.image, row_to_json(m.*)), a.target
  from added a join webhook_dispatch d on d.delivery = a.delivery left join sms_messages m on m.id = a.message
  where a.event_id is not null;
  insert into webhook_deliveries (id, "user", webhook, event_id, event, message, status, next_attempt_at, created,
    updated)
  select a.delivery, a."user", case when a.target is null then a.webhook else '' end, a.event_id, a.event, coalesce(a.message, ''), 'pending', moment, moment, moment
  from added a join webhook_dispatch d on d.delivery = a.delivery
  where a.event_id is not null;
  if exists (select from _listeners) then
    insert into _changes (collection, action, record)
    select 'webhook_deliveries', 'create', a.delivery
    from added a join webhook_dispatch d on d.delivery = a.delivery
    where a.event_id is not null;
  end if;
  perform pg_notify('pocketsms_webhooks', '');
  return null;
end $$;
