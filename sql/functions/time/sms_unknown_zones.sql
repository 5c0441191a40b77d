-- The stored names of time zones that this Postgres does not know, with commas between them; null if it knows
-- all. The names may come from a Postgres with other time zones, by a move or a restore.
create or replace function sms_unknown_zones() returns text language sql stable as $$
  select string_agg(z.zone, ', ' order by z.zone)
  from (select s.time_zone from user_settings s union select c.time_zone from contacts c) z(zone)
  where z.zone <> '' and pb_known_zone(z.zone) = ''
$$;
