-- Takes unclaimed messages, whose queue rows the caller has locked, from their devices. They wait until
-- `dues`, an instant for each message (now where it is absent); then sms_release assigns them again.
create or replace function sms_take_back(texts text[], dues timestamptz[], waits_for text, why text) returns void
language plpgsql as $$
begin
  if coalesce(cardinality(texts), 0) = 0 then
    return;
  end if;
  with returned as (
    update sms_dispatch d set state = 'pending', waiting_for = waits_for, due_at = coalesce(s.due, now()),
      wake_at = null, wakes = 0, charged = '', cost = null, device = case when d.pinned then d.device else '' end,
      line = case when d.line_pinned then d.line else '' end
    from unnest(texts, dues) s(message, due) where d.message = s.message
    returning d.message, d."user", d.device
  ), changed as (
    update sms_messages m set status = 'pending', waiting_for = waits_for, line = '', "from" = '',
      device = r.device, updated = pb_text(now())
    from returned r where m.id = r.message and sms_may_become(m.status, 'pending')
    returning m.id, r."user"
  )
  insert into sms_events (id, "user", message, status, device, attempt, detail, created)
  select pb_new_id(), c."user", c.id, 'pending', '', 0, why, pb_text(now()) from changed c;
end $$;
