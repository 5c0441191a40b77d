-- printf() and format() of SQLite: `%d %i %u %x %X %f %e %E %g %G %s %c %q %Q %w %%`, with flags, width and
-- precision, also `*`. A missing value counts as NULL: 0 or ''. Widths count bytes, unless `!` stands before.
create or replace function pb_printf(format text, variadic given text[] default '{}') returns text
language plpgsql immutable parallel safe as $$
declare
  result text := '';
  piece text;
  spec text[];
  flags text;
  width int;
  places int;
  at int := 1;
  kind text;
  value text;
  sign text;
  digits text;
  x double precision;
begin
  if coalesce(format, '') = '' then return null; end if;
  for piece in select m[1] from regexp_matches(format,
      '(%[-+ 0#!,]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?l{0,2}(?:.|$)|[^%]+)', 'gs') m loop
    if left(piece, 1) <> '%' then
      result := result || piece;
      continue;
    end if;
    spec := regexp_match(piece, '^%([-+ 0#!,]*)(\*|\d+)?(?:\.(\*|\d+)?)?l{0,2}(.?)$', 's');
    flags := spec[1];
    kind := spec[4];
    if spec[2] = '*' then
      width := pb_integer(given[at])::int;
      at := at + 1;
      if width < 0 then
        flags := flags || '-';
        width := -width;
      end if;
    else
      width := coalesce(left(spec[2], 6)::int, 0);
    end if;
    places := case when position('.' in piece) > 0 then coalesce(left(nullif(spec[3], '*'), 6)::int, 0) end;
    if spec[3] = '*' then
      places := abs(pb_integer(given[at]))::int;
      at := at + 1;
    end if;
    if kind = '' then
      return nullif(result || case when piece = '%' then '%' else '' end, '');
    end if;
    width := least(coalesce(width, 0), 100000);
    sign := '';
    if kind = '%' then
      digits := '%';
    elsif kind in ('d', 'i', 'u', 'x', 'X', 'f', 'e', 'E', 'g', 'G', 's', 'c', 'q', 'Q', 'w', 'z') then
      value := given[at];
      at := at + 1;
      if kind in ('d', 'i', 'u', 'x', 'X', 'o') then
        digits := pb_printf_integer(kind, coalesce(case when value ~ '[.eE]' then pb_integer(pb_real(value)) else pb_integer(value) end, 0), flags, coalesce(places, 0));
      elsif kind in ('f', 'e', 'E', 'g', 'G') then
        x := coalesce(pb_real(value), 0);
        digits := pb_printf_real(kind, x, flags, least(coalesce(places, 6), 300));
      elsif kind = 'c' then
        digits := repeat(coalesce(left(value, 1), ''), greatest(coalesce(places, 1), 1));
      else
        digits := coalesce(value, case when kind = 'Q' then 'NULL' when kind in ('q', 'w') then '(NULL)' else '' end);
        if places is not null then digits := left(digits, places); end if;
        digits := case
          when kind = 'w' then replace(digits, '"', '""')
          when kind = 'q' then replace(digits, '''', '''''')
          when kind = 'Q' and value is not null then '''' || replace(digits, '''', '''''') || ''''
          else digits end;
      end if;
    else
      return nullif(result, '');
    end if;
    if kind in ('d', 'i', 'u', 'x', 'X', 'f', 'e', 'E', 'g', 'G') then
      sign := coalesce(substring(digits from '^[-+ ]'), '');
      digits := substr(digits, length(sign) + 1);
    end if;
    width := width - length(sign) - case when position('!' in flags) > 0 then length(digits) else octet_length(digits) end;
    result := result || case
      when width <= 0 then sign || digits
      when sign || digits ~ '\d' and kind in ('d', 'i', 'u', 'x', 'X', 'f', 'e', 'E', 'g', 'G') and position('0' in flags) > 0
        then sign || repeat('0', width) || digits
      when position('-' in flags) > 0 then sign || digits || repeat(' ', width)
      else repeat(' ', width) || sign || digits end;
  end loop;
  return result;
end $$;
