-- The name of an account (`owner`): its own or, if it has none, that of its owner.
create or replace function account_name(owner text) returns text stable language sql as $$
  select coalesce(
    (select nullif(s.account_name, '') from user_settings s where s."user" = owner),
    (select u.name from users u where u.id = owner), ''
  )
$$;
