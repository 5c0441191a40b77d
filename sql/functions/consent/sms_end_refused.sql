-- Ends those of these queued texts, whose queue rows the caller has locked, that may not go to their persons
-- (sms_refusals), or that are refused already. No device has sent them, so they cost nothing. A text whose
-- lease has once ended may have been sent: its outcome is unknown, and it costs what it has cost.
--
-- A text that a device has fetched ends at once only if it waits in a server, for a carrier's next request:
-- its attempt has not begun (sms_begin). Any other device is told not to send it, and the text ends when the
-- device reports that it did not.
--
--   are_unsent  the device says that it has sent none of them
--   ended_by    as in sms_fail
-- Returns the devices of the ended texts, a row for each text: they get others instead.
create or replace function sms_end_refused(texts text[], are_unsent boolean default false, ended_by text default '')
returns table (device text)
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  unknown constant text := 'Outcome unknown: the device went silent';
  ended record;
  paid record;
  held text[];
begin
  if coalesce(cardinality(texts), 0) = 0 then
    return;
  end if;
  update sms_dispatch d set refused = r.refusal
  from (
    select array_agg(q.message) as messages, sms_refusals(q."user", array_agg(m."to"), q.scope::text, m.sent_by) as refusals
    from sms_dispatch q join sms_messages m on m.id = q.message
    where q.message = any (texts) and q.refused = ''
    group by q."user", q.scope::text, m.sent_by
  ) a cross join lateral unnest(a.messages, a.refusals) r(message, refusal)
  where a.refusals is not null and d.message = r.message and r.refusal <> '';
  update sms_dispatch d set refused = unknown
  where d.message = any (texts) and d.refused <> '' and d.attempt > 0 and exists (
    select from sms_events e where e.message = d.message and e.detail = 'The device went silent');
  held := array(
    select d.message from sms_dispatch d
    where d.message = any (texts) and d.refused <> '' and d.state = 'sending' and not are_unsent and not (
      exists (select from device_carriers c where c.device = d.device) and not exists (
        select from carrier_attempts a where a.device = d.device and a.message = d.message and a.attempt = d.attempt))
  );
  perform sms_announce_canceled(d.device, d.message, d.attempt) from sms_dispatch d where d.message = any (held);
  for ended in
    select d.refused as reason, array_agg(d.message order by d.message) as messages, array_agg(d.device) as devices
    from sms_dispatch d where d.message = any (texts) and d.message <> all (held) and d.refused <> '' group by d.refused
  loop
    -- the trigger line_freed gives back the room of texts that no device had
    perform sms_line_refund(d.line, d.charged, m."to", d.cost, d."user")
    from sms_dispatch d join sms_messages m on m.id = d.message
    where d.message = any (ended.messages) and d.state = 'sending' and d.charged <> '';
    for paid in select * from sms_fail(ended.messages, ended.reason, ended_by) loop
      if ended.reason <> unknown then
        perform sms_refund(paid."user", paid.period, paid.messages);
      end if;
    end loop;
    return query select unnest(ended.devices);
  end loop;
end $$;
