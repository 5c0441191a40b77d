-- Milliseconds since midnight UTC of a time `HH:MM[:SS[.FFF]] [Z|±HH:MM]`; null for other text.
create or replace function pb_clock_ms(t text) returns bigint language plpgsql immutable parallel safe as $$
declare
  p text[] := regexp_match(t, '^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?[ \t\n\v\f\r]*(?:([-+])([0-9]{2}):([0-9]{2})|[zZ])?[ \t\n\v\f\r]*$');
begin
  if p is null or p[1]::int > 24 or p[2]::int > 59 or p[3]::int > 59 or p[6]::int > 14 or p[7]::int > 59 then
    return null;
  end if;
  return (p[1]::int * 60 + p[2]::int) * 60000 + coalesce(p[3]::int, 0) * 1000
    + least(round(coalesce('0' || left(p[4], 12), '0')::numeric * 1000), 999)::int
    - case p[5] when '-' then -60000 else 60000 end * coalesce(p[6]::int * 60 + p[7]::int, 0);
end $$;
