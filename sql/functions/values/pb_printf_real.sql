-- A real number as printf() of SQLite writes it, with its sign: the exact value, rounded half up to at most
-- 16 digits.
create or replace function pb_printf_real(kind text, x double precision, flags text, places int) returns text
language plpgsql immutable parallel safe as $$
declare
  n numeric := abs(x)::text::numeric;
  size int := case when n = 0 then 0 else floor(log(n))::int end;
  sign text := case when x < 0 then '-' when position('+' in flags) > 0 then '+'
    when position(' ' in flags) > 0 then ' ' else '' end;
  digits text;
  digit_count int;
  two int;
begin
  if abs(x) >= 1.7976931348623157e308 then return sign || 'Inf'; end if;
  if n between 1e-290 and 1e15 then
    two := 54 - floor(ln(abs(x)) / ln(2::float8))::int;
    n := trunc(abs(x) * 2::float8 ^ two)::bigint * case when two > 0 then 5::numeric ^ two * ('1e-' || two)::numeric
      else 2::numeric ^ -two end;
  end if;
  if n <> 0 and n >= 10::numeric ^ (size + 1) then size := size + 1; end if;
  if n <> 0 and n < 10::numeric ^ size then size := size - 1; end if;
  if kind = 'f' then
    digits := round(round(n, least(places, 15 - size)), places)::text;
    if position(',' in flags) > 0 then
      digits := reverse(regexp_replace(reverse(split_part(digits, '.', 1)), '(\d{3})(?=\d)', '\1,', 'g'))
        || coalesce(substring(digits from '\..*$'), '');
    end if;
    return sign || digits || case when places = 0 and position('#' in flags) > 0 then '.' else '' end;
  end if;
  digit_count := case when lower(kind) = 'g' then greatest(places, 1) - 1 else places end;
  if n <> 0 and round(n / 10::numeric ^ size, digit_count) >= 10 then size := size + 1; end if;
  if lower(kind) = 'g' and size between -4 and digit_count then
    digits := round(n, digit_count - size)::text;
  else
    digits := round(n / 10::numeric ^ size, digit_count)::text;
  end if;
  if lower(kind) = 'g' and position('#' in flags) = 0 and position('.' in digits) > 0 then
    digits := rtrim(rtrim(digits, '0'), '.');
  end if;
  if lower(kind) = 'e' or size not between -4 and digit_count then
    digits := digits || case when kind in ('E', 'G') then 'E' else 'e' end
      || case when size < 0 then '-' else '+' end || lpad(abs(size)::text, greatest(2, length(abs(size)::text)), '0');
  end if;
  return sign || digits;
end $$;
