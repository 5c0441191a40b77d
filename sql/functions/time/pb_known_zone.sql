-- The name of a time zone if Postgres knows it, else ''.
create or replace function pb_known_zone(zone text) returns text language plpgsql stable as $$
begin
  if coalesce(zone, '') = '' then
    return '';
  end if;
  perform now() at time zone zone;
  return zone;
exception when invalid_parameter_value then
  return '';
end $$;
