-- Applies the n-th modifier of strftime(), such as `+1 day`; null if it is invalid. `raw`: the time value if
-- that was a number (see pb_time).
create or replace function pb_time_shift(ms bigint, raw double precision, modifier text, n int) returns bigint
language plpgsql stable parallel safe as $$
declare
  word text := lower(modifier);
  p text[];
  amount double precision;
  day record;
begin
  if word = 'unixepoch' or (word = 'auto' and ms is null) then
    if n > 1 or raw is null or not raw between -210866760000 and 253402300799 then return null; end if;
    return floor(raw * 1000 + 210866760000000 + 0.5);
  elsif word = 'auto' or word = 'julianday' then
    return case when n = 1 and (word = 'auto' or raw is not null) then ms end;
  elsif ms is null or word in ('utc', 'localtime', 'subsec', 'subsecond', 'ceiling', 'floor') then
    return ms;
  elsif word ~ '^start of (day|month|year)$' then
    day := pb_ymd(ms);
    return pb_julian_ms(day.y, case when word ~ 'year' then 1 else day.m end, case when word ~ 'day' then day.d else 1 end);
  elsif word ~ '^weekday +[0-6](\.0*)?$' then
    return ms + mod(7 + substring(word from '[0-6]')::int - mod((ms + 129600000) / 86400000, 7), 7) * 86400000;
  end if;
  p := regexp_match(word, '^([-+]?)([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)$');
  if p is not null then
    return ms + case p[1] when '-' then -1 else 1 end * mod(pb_clock_ms(p[2]), 86400000);
  end if;
  p := regexp_match(word, '^([-+])([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ \t\n\v\f\r]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?))?$');
  if p is not null then
    if p[3]::int > 11 or p[4]::int > 30 then return null; end if;
    return pb_add_months(ms, (p[1] || (p[2]::int * 12 + p[3]::int))::int) + (p[1] || p[4])::int * 86400000::bigint
      + coalesce((p[1] || '1')::int * mod(pb_clock_ms(p[5]), 86400000), 0);
  end if;
  p := regexp_match(word, '^([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)[ \t\n\v\f\r]+(second|minute|hour|day|month|year)s?$');
  if p is null then return null; end if;
  amount := pb_float(p[1]);
  if abs(amount) >= (case p[2] when 'second' then 4.6427e14 when 'minute' then 7.7379e12 when 'hour' then 1.2897e11
    when 'day' then 5373485 when 'month' then 176546 else 14713 end) then return null; end if;
  if p[2] in ('month', 'year') then
    ms := pb_add_months(ms, trunc(amount)::int * case p[2] when 'year' then 12 else 1 end);
    amount := amount - trunc(amount);
  end if;
  return ms + trunc(amount * 1000 * case p[2] when 'second' then 1 when 'minute' then 60 when 'hour' then 3600
    when 'day' then 86400 when 'month' then 2592000 else 31536000 end + sign(amount) * 0.5)::bigint;
end $$;
