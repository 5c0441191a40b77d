-- Restores the due time of up to `room` messages that sms_hold has held. The sweep then assigns them to
-- devices. Returns how many. Planned for each call, as sms_hold.
create or replace function sms_release_held(
  batches text[], owner text, detail text, changed_by text, room int
) returns int language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  released int;
begin
  with rows as (
    select d.message, d."user", m.scheduled_at from sms_messages m join sms_dispatch d on d.message = m.id
    where m.batch_id = any(batches) and m.batch_id <> '' and m."user" || '' = owner and d."user" || '' = owner
      and m.status || '' in ('pending', 'assigned') and d.state || '' = 'pending' and d.due_at = 'infinity'
    order by d.message limit room for update of d
  ), freed as (
    update sms_dispatch d set due_at = greatest(now(), nullif(r.scheduled_at, '')::timestamptz)
    from rows r where d.message = r.message returning d.message
  ), changed as (
    update sms_messages m set updated = pb_text(now()) from freed f where m.id = f.message returning m.id
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created, changed_by)
    select pb_new_id(), r."user", r.message, 'pending', '', 0, sms_release_held.detail, pb_text(now()),
      sms_release_held.changed_by
    from rows r join changed c on c.id = r.message
  )
  select count(*) into released from rows;
  return released;
end $$;
