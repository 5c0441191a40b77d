-- Which texts may use a line, by the platform of its device and its number or sender name:
--   0     the line takes turns
--   1     the line has a sender name, and the user has a line with a number. Then only texts may use it that
--         name the line, its slot, or its device (if no line of the device has a number). Nobody can answer a
--         name, so names and numbers never take turns.
--   null  the line is of a simulated phone, and the user has other devices, too. Then only texts may use it
--         that name the line or its device.
create or replace function sms_line_rank(owner text, platform text, number text) returns int
language sql stable as $$
  select case
    when platform = 'simulator' and exists (
      select from devices r where r."user" = owner and r.platform <> 'simulator'
    ) then null
    when number ~ '^\+?[0-9]*$' then 0
    when exists (
      select from lines o join devices d on d.id = o.device
      where o."user" = owner and d.platform <> 'simulator' and d.enabled and o.enabled and o.present
        and o.number ~ '^\+?[0-9]*$'
    ) then 1
    else 0 end
$$;
