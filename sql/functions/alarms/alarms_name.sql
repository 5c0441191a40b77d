-- How a mail names a device: by its name, else its number, else its id.
create or replace function alarms_name(name text, phone text, id text) returns text language sql immutable as $$
  select coalesce(nullif(name, ''), nullif(phone, ''), id)
$$;
