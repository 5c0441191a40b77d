-- Which texts a line is for, by the platform of its device and its number or name:
--   0     it takes turns
--   1     a sender's name, of a user who has a line with a number: only texts that name it, its slot, or
--         its device if that has no number. Names cannot be answered: the two never take turns.
--   null  a line of a simulated phone, of a user who has another device: only texts that name it or its
--         device
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
