-- Trigger of sms_events, once per statement: logs new events for realtime subscribers and queues their
-- webhook calls, in the same transaction. Skips imported events, whose `created` is not now, and events that
-- a superuser adds as records (pocketsms.added).
--
-- Status callbacks (to the URL in sms_origins.data) belong to no webhook. There is one each for `assigned`,
-- `sent` and a final status, and none for a status that precedes one already told. The user's callbacks are
-- in 16 queues with one call at a time. Those of one message share a queue, so their first attempts leave in
-- the order of the events. If the API key was deleted, nothing can sign callbacks, and none is sent.
create or replace function sms_events_noted() returns trigger language plpgsql as $$
declare
  moment constant text := pb_text(now());
  calls webhook_call[];
  callbacks webhook_call[];
begin
  if current_setting('pocketsms.added', true) = 'yes' then
    return null;
  end if;
  if exists (select from _listeners where 'sms_events' <> all (ignored)) then
    insert into _changes (collection, action, record, image)
    select 'sms_events', 'create', e.id, row_to_json(e.*) from added e where e.created = moment;
  end if;
  calls := array(
    select row(pb_new_id(), w.id, e."user", e.id, 'message.' || e.status, e.message, null, null)::webhook_call
    from added e join webhooks w on w."user" = e."user" and w.enabled and 'message.' || e.status = any (w.events)
    where e.created = moment
  );
  with reached as materialized (
    select e.id, o.ref,
      case e.status when 'assigned' then 1 when 'sent' then 2 when 'delivered' then 3 when 'failed' then 3 else 0 end as rank
    from added e cross join lateral (
      select o.ref from sms_origins o where o.ref = e.message and o.data -> 'callback' is not null offset 0
    ) o where e.created = moment
  ), moved as (
    update sms_origins o set told = r.rank from reached r where o.ref = r.ref and o.told < r.rank
    returning r.id as event, o.ref, o.data
  )
  select array_agg(row(pb_new_id(), 'callbacks ' || (hashtext(m.id) & 15), m."user", o.event, 'message.status', m.id,
    to_jsonb(m.*) || jsonb_build_object('device_phone', coalesce(d.phone, ''), 'origin', o.data),
    o.data -> 'callback')::webhook_call)
  into callbacks
  from moved o join sms_messages m on m.id = o.ref join api_keys k on k.id = o.data -> 'callback' ->> 'api_key'
  left join devices d on d.id = m.device;
  perform webhook_queue(calls || callbacks);
  return null;
end $$;
