-- Whether a user has a second factor.
create or replace function has_factor(person text) returns boolean stable language sql as $$
  select exists (
    select from auth_factors f
    where f.collection = '_pb_users_auth_' and f.record = person and f.confirmed_at is not null
  )
$$;
