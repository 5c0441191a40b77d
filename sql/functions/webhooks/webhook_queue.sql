-- Queues webhook calls, an array of webhook_call: writes the queue, the records in webhook_deliveries and the
-- payloads, and wakes the servers. Leaves out calls about deleted messages, and calls that the webhook's
-- settings exclude: it may be limited to one `device`, to `lines`, to `numbers` of the other side (`+4930*`:
-- all that begin so), or to one `smsgate_event`, since SMSGate has separate events for cancellations and
-- binary texts. `clock_timestamp()` keeps the order of two calls in one transaction.
create or replace function webhook_queue(calls anyarray) returns void language plpgsql as $$
declare
  moment constant text := pb_text(now());
begin
  if coalesce(cardinality(calls), 0) = 0 then
    return;
  end if;
  with call as (
    select c.delivery, c.webhook, c."user", c.event_id, c.event, c.message, c.target,
      coalesce(c.image, row_to_json(m.*)) as image
    from unnest(calls) c left join sms_messages m on m.id = c.message left join webhooks w on w.id = c.webhook
    where c.image is not null or m.id is not null and (w.device = '' or w.device = m.device)
      and (w.lines = '{}' or m.line = any (w.lines))
      and (w.numbers = '' or case m.message_type when 'incoming' then m."from" else m."to" end
        like any (string_to_array(replace(w.numbers, '*', '%'), ',')))
      and case w.smsgate_event
        when 'sms:failed' then m.error_message <> 'Canceled'
        when 'sms:cancelled' then m.error_message = 'Canceled'
        when 'sms:received' then not starts_with(m.body, 'data:application/octet-stream;base64,')
        when 'sms:data-received' then starts_with(m.body, 'data:application/octet-stream;base64,')
        else true end
  ), queued as (
    insert into webhook_dispatch (delivery, webhook, "user", due_at, event, target)
    select c.delivery, c.webhook, c."user", clock_timestamp(), c.event, c.target from call c
  ), kept as (
    insert into webhook_payloads (delivery, at, image, target)
    select c.delivery, now(), c.image, c.target from call c
  ), recorded as (
    insert into webhook_deliveries (
      id, "user", webhook, event_id, event, message, status, next_attempt_at, created, updated
    )
    select c.delivery, c."user", case when c.target is null then c.webhook else '' end, c.event_id, c.event,
      coalesce(c.message, ''), 'pending', moment, moment, moment
    from call c returning *
  )
  insert into _changes (collection, action, record, image)
  select 'webhook_deliveries', 'create', r.id, row_to_json(r.*) from recorded r
  where exists (select from _listeners where 'webhook_deliveries' <> all (ignored));
  perform _announce('pocketsms_webhooks', '');
end $$;
