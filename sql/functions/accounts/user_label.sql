-- How others see a user: the name, or the part of the email before the @.
create or replace function user_label(name text, email text) returns text immutable language sql as $$
  select coalesce(nullif(name, ''), split_part(email, '@', 1))
$$;
