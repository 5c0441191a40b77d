-- Whether to avoid a line that has been failing since `failing_since`. After an hour it is tried again.
create or replace function sms_is_failing(failing_since text) returns boolean language sql stable as $$
  select failing_since <> '' and failing_since > pb_text(now() - interval '1 hour')
$$;
