-- Reads a time value of SQLite: a date, a time of day (on 2000-01-01), `now`, or a number. `ms` takes a
-- number for a Julian day; `raw` keeps it for modifiers that give it another meaning. Both are null for other
-- text.
create or replace function pb_time(t text, out ms bigint, out raw double precision)
language plpgsql stable parallel safe as $$
declare
  p text[] := regexp_match(t, '^(-?[0-9]{4})-([0-9]{2})-([0-9]{2})[ \t\n\v\f\rT]*(.*)$');
begin
  if p[2]::int between 1 and 12 and p[3]::int between 1 and 31 then
    if p[4] = '' then
      ms := pb_julian_ms(p[1]::int, p[2]::int, p[3]::int);
    else
      ms := pb_julian_ms(p[1]::int, p[2]::int, p[3]::int) + pb_clock_ms(p[4]);
    end if;
  elsif t ~ '^[0-9]{2}:' then
    ms := pb_julian_ms(2000, 1, 1) + pb_clock_ms(t);
  elsif lower(t) in ('now', 'subsec', 'subsecond') then
    ms := 210866760000000 + floor(extract(epoch from statement_timestamp()) * 1000)::bigint;
  else
    raw := pb_numeric(t);
    if raw >= 0 and raw < 5373484.5 then
      ms := trunc(raw * 86400000 + 0.5);
    end if;
  end if;
end $$;
