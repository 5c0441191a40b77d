-- True if a device was given fewer messages than its limits allow. 0 is no limit.
create or replace function sms_is_below_limits(device_id text, per_minute float8, daily_limit float8)
returns boolean
language sql stable as $$
  select (per_minute <= 0 or per_minute > coalesce(sum(h.messages) filter (where h.at > now() - interval '1 minute'), 0))
    and (daily_limit <= 0 or daily_limit > coalesce(sum(h.messages), 0))
  from device_handouts h where h.device = device_id and h.at > now() - interval '1 day'
$$;
