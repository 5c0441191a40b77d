-- round() of SQLite: rounds the exact binary value, halves away from 0. Counts |x| in units of 2^-120, which
-- is exact enough.
create or replace function pb_round(x double precision, places bigint default 0) returns double precision
language plpgsql immutable strict parallel safe as $$
declare
  n int := least(greatest(places, 0), 30);
  rest float8 := abs(x) - trunc(abs(x));
  high bigint;
  units numeric;
begin
  if abs(x) >= 4503599627370496 or x = 'NaN' then return x; end if;
  if n = 0 then return trunc(x + sign(x) * 0.5); end if;
  high := trunc(rest * 1152921504606846976);
  units := (trunc(abs(x))::bigint::numeric * 1152921504606846976 + high) * 1152921504606846976
    + trunc((rest * 1152921504606846976 - high) * 1152921504606846976)::bigint;
  units := div(units * 2 * ('1e' || n)::numeric + 1329227995784915872903807060280344576, 2658455991569831745807614120560689152);
  return sign(x) * (units::text || 'e-' || n)::float8;
end $$;

create or replace function pb_round(t text, places bigint default 0) returns double precision
language sql immutable parallel safe as
  'select pb_round(pb_real(t), places)';
