-- Makes and updates the lines of a device from what it has reported. Called by a trigger of devices.
--
-- A device without SIM data has one line with slot 0: the device chooses the SIM. A new device gets one
-- enabled line for each SIM. A device counts as new for ten minutes, since many report their SIMs a moment
-- after pairing. An older device that begins to report several SIMs keeps its line with slot 0, and the lines
-- of its SIMs are disabled until the owner enables one. If it reports one SIM, slot 0 becomes the slot of
-- that SIM. A SIM that is no longer reported keeps its line, marked as not present. An empty report changes
-- nothing, because phones without the permission to read their SIMs send one.
create or replace function sms_lines_keep(
  device_id text, owner text, phone text, sims json, is_new boolean
) returns void language plpgsql as $$
declare
  slots constant int[] := array(select s.slot from sms_sim_list(sims) s order by s.slot);
  single constant boolean := cardinality(slots) = 1;
  has_whole boolean;
  is_first boolean;
  written text[];
  more text[];
begin
  update lines l set "user" = owner, updated = pb_text(now()) where l.device = device_id and l."user" <> owner;
  is_first := not exists (select from lines l where l.device = device_id);
  if is_first and (slots = '{}' or not is_new) then
    insert into lines (id, "user", device, slot, number, enabled, present, created, updated)
    values (
      pb_new_id(), owner, device_id, case when single then slots[1] else 0 end, phone, true, true,
      pb_text(now()), pb_text(now())
    ) on conflict (device, slot) do nothing returning array[id] into more;
    perform sms_lines_changed('create', more);
  elsif (single or is_new) and slots <> '{}' then
    update lines l set slot = slots[1], updated = pb_text(now()) where l.device = device_id and l.slot = 0
      and not exists (select from lines o where o.device = device_id and o.slot > 0);
  end if;
  if slots = '{}' then
    return;
  end if;
  has_whole := exists (select from lines l where l.device = device_id and l.slot = 0);
  with made as (
    insert into lines as l (
      id, "user", device, slot, number, carrier, country, enabled, present, created, updated
    )
    select pb_new_id(), owner, device_id, s.slot, case when s.number = '' and single then phone else s.number end,
      s.carrier, s.country, not has_whole, true, pb_text(now()), pb_text(now())
    from sms_sim_list(sims) s order by s.slot
    on conflict (device, slot) do update set
      number = case when excluded.number <> '' and excluded.number <> phone then excluded.number else l.number end,
      carrier = excluded.carrier, country = excluded.country, present = true, updated = excluded.updated
      where (l.carrier, l.country, l.present) <> (excluded.carrier, excluded.country, true)
        or excluded.number <> '' and excluded.number <> phone and l.number <> excluded.number
    returning l.id, l.xmax = 0 as is_made
  ), lost as (
    update lines l set present = false, updated = pb_text(now())
    where l.device = device_id and l.slot > 0 and l.present and l.slot <> all (slots) returning l.id
  )
  select array(select id from made where is_made),
    array(select id from made where not is_made union all select id from lost)
  into more, written;
  perform sms_lines_changed('create', more);
  perform sms_lines_changed('update', written);
end $$;
