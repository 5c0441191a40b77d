-- The numbers whose persons were erased from an account (`owner`). Costs one look-up for accounts
-- without such persons.
create or replace function person_stopped(owner text, numbers text[]) returns text[]
language sql stable as $$
  select case when exists (select from _stop_list s where s."user" = owner) then array(
    select n.number from unnest(numbers) n(number)
    where exists (select from _stop_list s where s."user" = owner and s.hash = person_hash(owner, n.number))
  ) else '{}' end
$$;
