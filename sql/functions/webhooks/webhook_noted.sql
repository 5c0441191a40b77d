-- Trigger of webhook_dispatch for the new events of a statement, at its end: creates the record and the
-- payload of each delivery, with the message's row as that statement left it. Deletes a delivery whose
-- message was deleted.
-- Postgres merges the notifications of one transaction into one.
-- Once a statement, not once a row: 200,000 deliveries of one send took 22.7 s with a trigger for each row.
create or replace function webhook_noted() returns trigger language plpgsql as $$
declare
  moment constant text := pb_text(now());
begin
  if not exists (select from added a where a.event_id is not null) then return null; end if;
  insert into webhook_payloads (delivery, at, image)
  select a.delivery, now(), coalesce(a.image, row_to_json(m.*))
  from added a left join sms_messages m on m.id = a.message
  where a.event_id is not null and (a.image is not null or m.id is not null);
  delete from webhook_dispatch d using added a
  where d.delivery = a.delivery and a.event_id is not null and a.image is null
    and not exists (select from sms_messages m where m.id = a.message);
  insert into webhook_deliveries (id, "user", webhook, event_id, event, message, status, next_attempt_at, created,
    updated)
  select a.delivery, a."user", a.webhook, a.event_id, a.event, coalesce(a.message, ''), 'pending', moment, moment, moment
  from added a left join sms_messages m on m.id = a.message
  where a.event_id is not null and (a.image is not null or m.id is not null);
  if exists (select from _listeners) then
    insert into _changes (collection, action, record)
    select 'webhook_deliveries', 'create', a.delivery from added a left join sms_messages m on m.id = a.message
    where a.event_id is not null and (a.image is not null or m.id is not null);
  end if;
  perform pg_notify('pocketsms_webhooks', '');
  return null;
end $$;
