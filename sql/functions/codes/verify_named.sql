-- Names a verification: by its id or, if `named_id` is '', as the last one of a phone number and a service
-- ('': the account's first one). Returns its id, null if there is none. Locks it until the transaction ends,
-- so later statements see the changes that this one waited for.
create or replace function verify_named(of_user text, named_id text, number text, of_service text) returns text
language plpgsql as $$
declare
  found_id text;
begin
  if named_id <> '' then
    select v.id into found_id from verifications v where v.id = named_id and v."user" = of_user for update;
    return found_id;
  end if;
  select v.id into found_id from verifications v
  where v."user" = of_user and v."to" = number and v.service = coalesce(
    nullif(of_service, ''),
    (select s.id from verify_services s where s."user" = of_user order by s.api_key <> '', s.created, s.id limit 1))
  order by v.created desc, v._rowid desc limit 1 for update;
  return found_id;
end $$;
