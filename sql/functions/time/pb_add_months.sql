-- Adds months to a moment, but keeps the day of the month: the 31st of a 30-day month becomes the 1st of the
-- next.
create or replace function pb_add_months(ms bigint, months int) returns bigint
language plpgsql immutable parallel safe as $$
declare
  day record := pb_ymd(ms);
  total int := day.y * 12 + day.m - 1 + months;
  y int := floor(total / 12.0);
begin
  if y < -4713 or y > 9999 then return null; end if;
  return pb_julian_ms(y, total - y * 12 + 1, day.d) + mod(ms + 43200000, 86400000);
end $$;
