-- Formats a moment by one letter of a strftime() format; null for an unknown letter.
create or replace function pb_time_part(letter text, ms bigint) returns text
language plpgsql immutable parallel safe as $$
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
