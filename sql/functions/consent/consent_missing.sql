-- The numbers that have not given consent to an account (`owner`), for all purposes or for one of
-- the groups.
create or replace function consent_missing(owner text, numbers text[], groups text[]) returns text[]
language sql stable as $$
  select array(
    select n.number from unnest(numbers) with ordinality n(number, place)
    where not exists (
      select from consent_states s
      where s."user" = owner and s.number = n.number and s.state = 'given'
        and (s."group" = any (groups) or s."group" = '' and s.purpose = 'all')
    )
    order by n.place
  )
$$;
