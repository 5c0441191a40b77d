-- Trigger of sms_events: queues the calls that Twilio's API makes for the new events of a statement, at its
-- end and in its transaction.
--
-- Status callbacks: one for `queued`, `sent` and a final status each, never for an earlier one than the
-- last. They belong to no webhook. The callbacks of one message share one of 16 lanes of the user, and a
-- lane has one call at a time: first attempts leave in the order of the events. `clock_timestamp()` keeps
-- that order for two events of one transaction. A key that was deleted signs nothing, so nothing is sent.
--
-- Incoming texts: a call for each webhook of the format `twilio` on the device.
create or replace function twilio_events_noted() returns trigger language plpgsql as $$
begin
  with known as materialized (
    select a.id, a."user", t.message, t.api_key, t.callback, t.service,
      case a.status when 'assigned' then 1 when 'sent' then 2 when 'delivered' then 3 when 'failed' then 3
        else 0 end as rank
    from added a cross join lateral (
      select * from twilio_messages t where t.message = a.message and t.callback <> '' offset 0
    ) t
  ), moved as (
    update twilio_messages t set told = k.rank from known k
    where t.message = k.message and t.told < k.rank
    returning k.id, k."user", k.message, k.api_key, k.callback, k.service
  )
  insert into webhook_dispatch (delivery, webhook, "user", due_at, event_id, event, message, image, target)
  select pb_new_id(), 'callbacks ' || (hashtext(m.id) & 15), e."user", clock_timestamp(), e.id, 'message.status',
    m.id,
    (to_jsonb(m.*) || jsonb_build_object('device_phone', coalesce(d.phone, ''), 'service', e.service))::json,
    json_build_object('url', e.callback, 'api_key', e.api_key)
  from moved e
  join sms_messages m on m.id = e.message
  join api_keys k on k.id = e.api_key
  left join devices d on d.id = m.device;

  if exists (select from added a where a.status = 'received') then
    insert into webhook_dispatch (delivery, webhook, "user", event_id, event, message)
    select pb_new_id(), w.id, a."user", a.id, 'message.received', a.message
    from added a join webhooks w on w."user" = a."user" and w.enabled
      and w.format = 'twilio' and w.device = a.device
    where a.status = 'received';
  end if;
  return null;
end $$;
