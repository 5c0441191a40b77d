-- Which texts may use a line, by the platform of its device and its number or sender name:
--   0     the line takes turns
--   1     the line has a sender name, and the user has a line with a number. Then only texts may use it that
--         name the line, its slot, or its device (if no line of the device has a number). Nobody can answer a
--         name, so names and numbers never take turns.
--   2     the line is of a carrier, and the user lets own phones send first (`failover_minutes`), which are
--         not down. Then only texts may use it that name it or its device, or have the priority
--         `failover_priority`. While they are down, the rank is 0.
--   null  the line is of a simulated phone, and the user has other devices, too; or of a carrier that no text
--         has proved yet (`device_carriers.ready`). Then only texts may use it that name the line or its
--         device.
--
-- In plpgsql, which keeps its plans for the session. Postgres plans a body in SQL anew in each statement that
-- calls it: that took 250 of the 900 µs of a send. Each `exists` has an `if` of its own: a condition with a
-- subquery is a statement, 4 µs for a line.
create or replace function sms_rank_line(owner text, device_id text, platform text, number text) returns int
language plpgsql stable as $$
declare
  minutes float8;
begin
  if platform = 'simulator' then
    if exists (select from devices r where r."user" = owner and r.platform <> 'simulator') then
      return null;
    end if;
  end if;
  if platform = 'carrier' then
    if exists (select from device_carriers c where c.device = device_id and not c.ready) then
      return null;
    end if;
    select s.failover_minutes into minutes from user_settings s where s."user" = owner;
    if minutes > 0 then
      return case when sms_phones_down_at(owner, minutes) > now() then 2 else 0 end;
    end if;
  end if;
  if number !~ '^\+?[0-9]*$' then
    if exists (
      select from lines o join devices d on d.id = o.device
      where o."user" = owner and d.platform <> 'simulator' and d.enabled and o.enabled and o.present
        and o.number ~ '^\+?[0-9]*$'
    ) then
      return 1;
    end if;
  end if;
  return 0;
end $$;
