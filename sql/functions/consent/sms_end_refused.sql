-- Ends those of these queued texts, whose queue rows the caller has locked, that may not go to their persons
-- (sms_refusals), or that a claim has refused. No device has sent them, so they cost nothing. A text whose
-- lease has once ended may have been sent: its outcome is unknown, and it costs what it has cost. Returns the
-- devices of the ended texts: they get others instead.
create or replace function sms_end_refused(texts text[]) returns table (device text)
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  unknown constant text := 'Outcome unknown: the device went silent';
  ended record;
  paid record;
begin
  if coalesce(cardinality(texts), 0) = 0 then
    return;
  end if;
  update sms_dispatch d set refused = r.refusal
  from (
    select array_agg(q.message) as messages, sms_refusals(q."user", array_agg(m."to"), q.scope::text, m.sent_by) as refusals
    from sms_dispatch q join sms_messages m on m.id = q.message
    where q.message = any (texts) and m.id = any (texts) and q.refused = ''
    group by q."user", q.scope::text, m.sent_by
  ) a cross join lateral unnest(a.messages, a.refusals) r(message, refusal)
  where a.refusals is not null and d.message = r.message and d.message = any (texts) and r.refusal <> '';
  update sms_dispatch d set refused = unknown
  where d.message = any (texts) and d.refused <> '' and d.attempt > 0 and exists (
    select from sms_events e where e.message = d.message and e.detail = 'The device went silent');
  for ended in
    select d.refused as reason, array_agg(d.message order by d.message) as messages, array_agg(distinct d.device) as devices
    from sms_dispatch d where d.message = any (texts) and d.refused <> '' group by d.refused
  loop
    -- the trigger line_freed gives back the room of texts that no device had
    perform sms_line_refund(d.line, d.charged, m."to", d.cost, d."user")
    from sms_dispatch d join sms_messages m on m.id = d.message
    where d.message = any (ended.messages) and m.id = any (ended.messages) and d.state = 'sending' and d.charged <> '';
    for paid in select * from sms_fail(ended.messages, ended.reason, '') loop
      if ended.reason <> unknown then
        perform sms_refund(paid."user", paid.period, paid.messages);
      end if;
    end loop;
    return query select unnest(ended.devices);
  end loop;
end $$;
