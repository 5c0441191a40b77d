-- The day (YYYY-MM-DD) in the time zone of a user's settings, in UTC if there is none that Postgres knows.
create or replace function sms_local_day(owner text, at timestamptz) returns text
language sql stable as $$
  select to_char(at at time zone sms_time_zone(owner), 'YYYY-MM-DD')
$$;
