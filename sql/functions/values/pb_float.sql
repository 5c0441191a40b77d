-- Text as a number; null if it is none. Too large a number becomes infinity, too small a one 0.
create or replace function pb_float(t text) returns double precision
language plpgsql immutable strict parallel safe as $$
begin
  return t::double precision;
exception when numeric_value_out_of_range then
  begin
    if abs(t::numeric) < 1 then return 0; end if;
  exception when others then
    if t ~* 'e-' then return 0; end if;
  end;
  return case when t ~ '^\s*-' then '-Infinity'::float8 else 'Infinity'::float8 end;
when others then
  return null;
end $$;
