-- Whether an account requires a second factor of everybody by now, and this user has none.
create or replace function lacks_factor(account text, person text) returns boolean stable language sql as $$
  select exists (
    select from user_settings s
    where s."user" = account and s.second_factor_from <> '' and s.second_factor_from <= pb_text(now())
  ) and not has_factor(person)
$$;
