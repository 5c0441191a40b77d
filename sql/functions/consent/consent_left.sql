-- The numbers that have left one of these contact groups of an account (`owner`), and are in none
-- of the others. An opt-out of all purposes leaves no group: `opted_out` of the contact stands for it, and
-- START ends it. Who has left a group that was deleted since has still left it: the entry then has no group,
-- but its purpose.
create or replace function consent_left(owner text, numbers text[], groups text[]) returns text[]
language sql stable as $$
  select array(
    select s.number
    from consent_states s join consents e on e.id = s.entry and (e."group" = s."group" or e."group" = '' and e.purpose <> 'all')
    where s."user" = owner and s.number = any (numbers) and s."group" = any (groups) and s.state = 'stopped'
    group by s.number
    having not exists (
      select from contacts c where c."user" = owner and c.phone = s.number
        and c.groups && array(
          select g.id from unnest(consent_left.groups) g(id) where g.id <> all (array_agg(s."group")))
    )
  )
$$;
