-- Trigger of contact_groups: refuses the name of another group of the account in another spelling, as the
-- unique index does in the same. The argument is the key of the lock by which other namings of the account
-- wait until the transaction ends.
create or replace function contact_groups_named() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(tg_argv[0]::int, hashtext(new."user"));
  if exists (
    select from contact_groups g where g."user" = new."user" and pb_name_key(g.name) = pb_name_key(new.name)
      and g.name <> new.name and g.id <> new.id
  ) then
    raise unique_violation using message = 'another group has this name in another spelling',
      constraint = 'idx_contact_groups_user_name';
  end if;
  return new;
end $$;
