-- The time zone of a user's settings; UTC if there is none, or one that Postgres does not know.
create or replace function sms_time_zone(owner text) returns text language sql stable as $$
  select coalesce((
    select nullif(pb_known_zone(s.time_zone), '') from user_settings s
    where s."user" = owner and s.time_zone <> '' limit 1
  ), 'UTC')
$$;
