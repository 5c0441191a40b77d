-- 0007 SQLite's view of values, where Postgres has another: what filters and sorts compare with.
-- A caller writes COLLATE "C" behind each text: a function's result takes its collation from the arguments.

-- Text that looks like a number, as one; else null.
create function pb_numeric(t text) returns double precision language sql immutable parallel safe as $$
  select case when t collate "C" ~ '^[ \t\n\v\f\r]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t\n\v\f\r]*$'
    then pb_float(t) end
$$;

-- A REAL as text: never without a point, exponents from 1e17 up and below 1e-4.
create function pb_real_text(x double precision) returns text language sql immutable parallel safe as $$
  select case
    when x = trunc(x) and abs(x) < 1e17 then x::bigint::text || '.0'
    else regexp_replace(x::text, '^(-?[0-9]+)(e|$)', '\1.0\2')
  end
$$;

-- A number column as text: whole numbers are INTEGER there.
create function pb_number_text(x double precision) returns text language sql immutable parallel safe as $$
  select case when x = trunc(x) and abs(x) < 9.2e18 then x::bigint::text else pb_real_text(x) end
$$;

-- What json_extract gives: null, a number (true is 1), or a text; lists and objects are their JSON.
create function pb_json_rank(v json) returns int language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('number', 'boolean') then 1 when json_typeof(v) in ('string', 'object', 'array') then 2 end
$$;
create function pb_json_number(v json) returns double precision language sql immutable parallel safe as $$
  select case json_typeof(v) when 'number' then pb_float(v #>> '{}') when 'boolean' then (v #>> '{}' = 'true')::int end
$$;
create function pb_json_string(v json) returns text language sql immutable parallel safe as $$
  select case when json_typeof(v) in ('string', 'object', 'array') then v #>> '{}' end
$$;
-- The same with a text that looks like a number taken for one.
create function pb_json_numeric(v json) returns double precision language sql immutable parallel safe as $$
  select case json_typeof(v) when 'string' then pb_numeric(v #>> '{}') else pb_json_number(v) end
$$;
create function pb_json_text(v json) returns text language sql immutable parallel safe as $$
  select case json_typeof(v)
    when 'number' then case when v #>> '{}' ~ '^-?[0-9]{1,18}$' then v #>> '{}' else pb_real_text(pb_float(v #>> '{}')) end
    when 'boolean' then case when v #>> '{}' = 'true' then '1' else '0' end
    else v #>> '{}'
  end
$$;

-- strftime() follows SQLite's date.c. A moment is a count of milliseconds since noon of 4714-11-24 BC; a bare number is
-- a Julian day until a modifier reads it as something else, hence `raw`.

create function pb_julian_ms(y int, m int, d int) returns bigint language sql immutable parallel safe as $$
  select (36525 * (y - (m <= 2)::int + 4716) / 100
    + 306001 * (m + 12 * (m <= 2)::int + 1) / 10000
    + d + 38 - (y - (m <= 2)::int + 4800) / 100 + (y - (m <= 2)::int + 4800) / 400 - 1524)::bigint * 86400000 - 43200000
$$;

-- The calendar day of a moment. SQLite counts a year 0.
create function pb_ymd(ms bigint, out y int, out m int, out d int) language sql immutable parallel safe as $$
  select extract(year from day)::int + (extract(year from day) < 0)::int, extract(month from day)::int, extract(day from day)::int
  from (select date '2000-01-01' + ((ms + 43200000) / 86400000 - 2451545)::int as day) t
$$;

-- `HH:MM[:SS[.FFF]] [Z|±HH:MM]` in milliseconds; null if it is none.
create function pb_clock_ms(t text) returns bigint language plpgsql immutable parallel safe as $$
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

-- A time value as text: a date, a time of 2000-01-01, `now`, or a number. Both null if it is none of these.
create function pb_time(t text, out ms bigint, out raw double precision) language plpgsql stable parallel safe as $$
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

-- The moment after one modifier, the n-th; null if it cannot be. `raw`: the number it began as, if nothing has read it.
create function pb_time_shift(ms bigint, raw double precision, modifier text, n int) returns bigint
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

-- Months on, the day of the month kept: the 31st of a month of 30 days is the 1st of the next.
create function pb_add_months(ms bigint, months int) returns bigint language plpgsql immutable parallel safe as $$
declare
  day record := pb_ymd(ms);
  total int := day.y * 12 + day.m - 1 + months;
  y int := floor(total / 12.0);
begin
  if y < -4713 or y > 9999 then return null; end if;
  return pb_julian_ms(y, total - y * 12 + 1, day.d) + mod(ms + 43200000, 86400000);
end $$;

-- One letter of a format; null if there is none such.
create function pb_time_part(letter text, ms bigint) returns text language plpgsql immutable parallel safe as $$
declare
  day record := pb_ymd(ms);
  clock int := mod(ms + 43200000, 86400000);
  hour int := clock / 3600000;
  minute int := clock / 60000 % 60;
  second int := clock / 1000 % 60;
  of_year int := (ms + 43200000) / 86400000 - (pb_julian_ms(day.y, 1, 1) + 43200000) / 86400000;
  monday int := (ms + 43200000) / 86400000 % 7;
  sunday int := (ms + 129600000) / 86400000 % 7;
  thursday record;
begin
  case letter
    when 'd' then return pb_digits(day.d, 2);
    when 'e' then return lpad(day.d::text, 2);
    when 'f' then return pb_digits(second, 2) || '.' || pb_digits(clock % 1000, 3);
    when 'F' then return pb_digits(day.y, 4) || '-' || pb_digits(day.m, 2) || '-' || pb_digits(day.d, 2);
    when 'H' then return pb_digits(hour, 2);
    when 'k' then return lpad(hour::text, 2);
    when 'I' then return pb_digits((hour + 11) % 12 + 1, 2);
    when 'l' then return lpad(((hour + 11) % 12 + 1)::text, 2);
    when 'j' then return pb_digits(of_year + 1, 3);
    when 'J' then return rtrim(rtrim(round((ms / 86400000::float8)::text::numeric, 16 - length(div(ms, 86400000)::text))::text, '0'), '.');
    when 'm' then return pb_digits(day.m, 2);
    when 'M' then return pb_digits(minute, 2);
    when 'p' then return case when hour >= 12 then 'PM' else 'AM' end;
    when 'P' then return case when hour >= 12 then 'pm' else 'am' end;
    when 'R' then return pb_digits(hour, 2) || ':' || pb_digits(minute, 2);
    when 's' then return (ms / 1000 - 210866760000)::text;
    when 'S' then return pb_digits(second, 2);
    when 'T' then return pb_digits(hour, 2) || ':' || pb_digits(minute, 2) || ':' || pb_digits(second, 2);
    when 'u' then return (monday + 1)::text;
    when 'w' then return sunday::text;
    when 'U' then return pb_digits((of_year - sunday + 7) / 7, 2);
    when 'W' then return pb_digits((of_year - monday + 7) / 7, 2);
    when 'Y' then return pb_digits(day.y, 4);
    when '%' then return '%';
    when 'G', 'g', 'V' then
      -- ISO 8601: a week belongs to the year of its Thursday
      ms := ms + (3 - monday) * 86400000;
      thursday := pb_ymd(ms);
      if letter = 'G' then return pb_digits(thursday.y, 4); end if;
      if letter = 'g' then return pb_digits(thursday.y % 100, 2); end if;
      return pb_digits((((ms + 43200000) / 86400000 - (pb_julian_ms(thursday.y, 1, 1) + 43200000) / 86400000) / 7 + 1)::int, 2);
    else return null;
  end case;
end $$;

-- A number in at least so many places, as printf's %04d.
create function pb_digits(n int, places int) returns text language sql immutable parallel safe as $$
  select case when n < 0 then '-' || lpad((-n)::text, greatest(places - 1, length((-n)::text)), '0')
    else lpad(n::text, greatest(places, length(n::text)), '0') end
$$;

-- SQLite's strftime(): null for what it cannot read.
create function pb_strftime(format text, value text, variadic modifiers text[] default '{}') returns text
language plpgsql stable parallel safe as $$
declare
  moment record := pb_time(value);
  ms bigint := moment.ms;
  raw double precision := moment.raw;
  result text := '';
  part text;
  piece text;
begin
  if format is null or (ms is null and raw is null) then return null; end if;
  for i in 1 .. cardinality(modifiers) loop
    ms := pb_time_shift(ms, raw, modifiers[i], i);
    raw := case when modifiers[i] ilike 'subsec%' then raw end;
    if ms is null or ms not between 0 and 464269060799999 then return null; end if;
  end loop;
  if ms is null then return null; end if;
  for part in select m[1] from regexp_matches(format, '%(?:.|$)|[^%]+', 'gs') m loop
    piece := case when left(part, 1) = '%' then pb_time_part(substr(part, 2), ms) else part end;
    if piece is null then return null; end if;
    result := result || piece;
  end loop;
  return result;
end $$;
