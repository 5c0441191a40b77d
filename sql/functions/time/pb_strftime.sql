-- strftime() of SQLite: null for a time, modifier or format that it cannot read.
create or replace function pb_strftime(format text, value text, variadic modifiers text[] default '{}')
returns text
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

create or replace function pb_strftime(format text, value double precision, variadic modifiers text[] default '{}')
returns text
language sql stable parallel safe as 'select pb_strftime(format, value::text, variadic modifiers)';
