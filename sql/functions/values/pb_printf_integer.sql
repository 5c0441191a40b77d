-- A whole number as printf() of SQLite writes it, with its sign, before it is filled to a width.
create or replace function pb_printf_integer(kind text, n bigint, flags text, places int) returns text
language plpgsql immutable parallel safe as $$
declare
  plain text := case
    when kind in ('d', 'i') then abs(n::numeric)::text
    when kind = 'u' then (n::numeric + case when n < 0 then 18446744073709551616 else 0 end)::text
    when kind = 'X' then upper(to_hex(n))
    else to_hex(n) end;
begin
  plain := lpad(plain, greatest(least(places, 300), length(plain)), '0');
  if position(',' in flags) > 0 and kind in ('d', 'i') then
    plain := reverse(regexp_replace(reverse(plain), '(\d{3})(?=\d)', '\1,', 'g'));
  end if;
  if position('#' in flags) > 0 and n <> 0 then
    plain := case kind when 'x' then '0x' when 'X' then '0X' else '' end || plain;
  end if;
  return case
    when kind not in ('d', 'i') then ''
    when n < 0 then '-'
    when position('+' in flags) > 0 then '+'
    when position(' ' in flags) > 0 then ' '
    else '' end || plain;
end $$;
