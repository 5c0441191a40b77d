-- True for a complete date as PocketBase stores it. False for the 29th of February, which needs a check of
-- the year.
create or replace function pb_is_stored_date(t text) returns boolean
language sql immutable parallel safe as $$
  select t collate "C" ~ '^[0-9]{4}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31) ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$'
$$;
