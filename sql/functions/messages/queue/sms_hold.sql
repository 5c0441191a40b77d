-- Unassigns up to `room` unclaimed messages of batches of a user. While their due_at is infinity, they are
-- not assigned again. Returns how many. Planned for each call: a plan for an empty queue would scan all
-- rows for each message. `detail` and `changed_by` are for their events.
create or replace function sms_hold(batches text[], owner text, detail text, changed_by text, room int) returns int
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  number int;
begin
  with rows as (
    select d.message, d."user" from sms_messages m join sms_dispatch d on d.message = m.id
    where m.batch_id = any(batches) and m.batch_id <> '' and m."user" || '' = owner and d."user" || '' = owner
      and m.status || '' in ('pending', 'assigned') and d.state || '' in ('pending', 'assigned')
      and d.due_at is distinct from 'infinity'
    order by d.message limit room for update of d
  ), held as (
    update sms_dispatch d set due_at = 'infinity', state = 'pending', wake_at = null, wakes = 0,
      waiting_for = '', charged = '', cost = null, device = case when d.pinned then d.device else '' end,
      line = case when d.line_pinned then d.line else '' end
    from rows r where d.message = r.message returning d.message, d.device
  ), changed as (
    update sms_messages m set status = 'pending', device = h.device, line = '', "from" = '', waiting_for = '',
      updated = pb_text(now())
    from held h where m.id = h.message returning m.id
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created, changed_by)
    select pb_new_id(), r."user", r.message, 'pending', '', 0, sms_hold.detail, pb_text(now()), sms_hold.changed_by
    from rows r join changed c on c.id = r.message
  )
  select count(*) into number from rows;
  return number;
end $$;
