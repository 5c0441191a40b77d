-- Devices of a user that can be given a message that names no device: they have a line that takes turns and
-- are below their limits. Not sorted. A device with several lines is repeated.
create or replace function sms_available_devices(owner text, since text) returns table (id text)
language sql stable as $$
  select l.device from sms_ranked_lines(owner, since) l where l.rank = 0 and l.is_free
$$;
