-- The time zone of a user's settings; UTC if it is unset or unknown to Postgres.
create or replace function sms_time_zone(owner text) returns text language sql stable as $$
  select coalesce((
    select nullif(pb_known_zone(s.time_zone), '') from user_settings s
    where s."user" = owner and s.time_zone <> '' limit 1
  ), 'UTC')
$$;
