-- The lines of a user that match the id, number, device and slot in a request; null, or slot 0, matches all.
-- Callers need exactly one line. If several match, as after a SIM was moved to another phone, returns only
-- those best able to send: present on an enabled device, then enabled.
create or replace function sms_named_lines(owner text, line_id text, line_number text, device_id text, slot int)
returns table (line text, device text) language sql stable as $$
  select l.id, l.device from lines l join devices d on d.id = l.device
  where l."user" = owner and (line_id is null or l.id = line_id)
    and (line_number is null or l.number = line_number)
    and (device_id is null or l.device = device_id)
    and (sms_named_lines.slot = 0 or l.slot = sms_named_lines.slot)
  order by l.present and d.enabled desc, l.enabled desc fetch first row with ties
$$;
