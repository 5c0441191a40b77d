-- The name under which Postgres knows a time zone; '' if it knows none. That is the name itself, else its
-- newer or older one: Debian 13 and Ubuntu 24.04 have left out the old names (tzdata-legacy), with which
-- browsers and Node answer, and an old Postgres lacks new names. Names without a slash mean what Node's Intl
-- takes them for: to Postgres IST is in Israel, CET has no summer time, and X5 is a zone.
create or replace function pb_known_zone(zone text) returns text language plpgsql stable as $$
declare
  newer text;
  candidate text;
begin
  if coalesce(zone, '') = '' then
    return '';
  end if;
  if zone like '%/%' or upper(zone) = 'UTC' then
    begin
      perform now() at time zone zone;
      return zone;
    exception when invalid_parameter_value then
      null;
    end;
  end if;
  newer := pb_renamed_zones() ->> lower(zone);
  foreach candidate in array array_remove(newer || array(
    select initcap(r.key) from jsonb_each_text(pb_renamed_zones()) r
    where lower(r.value) = lower(coalesce(newer, zone)) and r.key like '%/%'
  ), null) loop
    begin
      perform now() at time zone candidate;
      return candidate;
    exception when invalid_parameter_value then
      null;
    end;
  end loop;
  return '';
end $$;
