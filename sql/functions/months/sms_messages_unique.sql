-- Trigger of sms_messages with partitions: ids and the references of a user stay unique over all of them, as
-- the indexes of a plain table keep them. A partition's own indexes know its own rows only. Whoever inserts
-- the same first holds the lock of its hash until the commit. There are 64 locks, so that an import of any
-- length takes no more. Sends do without: their ids are random, and they look for the reference under the
-- lock of the user's row.
create or replace function sms_messages_unique() returns trigger language plpgsql as $$
declare
  twin record;
begin
  perform pg_advisory_xact_lock(7367024, k.bucket) from (
    select distinct hashtext(v.key) & 63 as bucket
    from added a cross join lateral (values (a.id), (nullif(a.client_ref, '') || a."user")) v (key)
    where v.key is not null order by 1
  ) k;
  select a."user", a.client_ref into twin from added a where a.client_ref <> '' and (
    select count(*) from sms_messages m
    where m."user" = a."user" and m.client_ref = a.client_ref and m.client_ref <> '') > 1 limit 1;
  if found then
    perform sms_not_unique('idx_sms_messages_client_ref', '"user", client_ref', twin."user" || ', ' || twin.client_ref);
  end if;
  select a.id into twin from added a where (select count(*) from sms_messages m where m.id = a.id) > 1 limit 1;
  if found then
    perform sms_not_unique('sms_messages_pkey', 'id', twin.id);
  end if;
  return null;
end $$;
