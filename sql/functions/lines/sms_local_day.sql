-- The day (YYYY-MM-DD) of an instant in a user's time zone; in UTC if that is unset or unknown to Postgres.
create or replace function sms_local_day(owner text, at timestamptz) returns text
language sql stable as $$
  select to_char(at at time zone sms_time_zone(owner), 'YYYY-MM-DD')
$$;
