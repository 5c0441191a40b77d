-- Those of these numbers that have opted out of all texts of an account (`owner`) and have no contact, whose
-- `opted_out` would say so: the contact was deleted, or has another number now.
--
-- A person who has texted a word that joins a group, or has confirmed, after the STOP has opted in again. The
-- word alone is enough: the person must get the question. A question of a page is not.
create or replace function consent_stopped(owner text, numbers text[]) returns text[]
language sql stable as $$
  select array(
    select s.number from consent_states s
    where s."user" = owner and s.number = any (numbers) and s."group" = '' and s.purpose = 'all' and s.state = 'stopped'
      and not exists (select from contacts c where c."user" = owner and c.phone = s.number)
      and not exists (
        select from consent_states g join consents e on e.id = coalesce(consent_question(g.id), g.entry)
        where g."user" = owner and g.number = s.number and g."group" <> ''
          and case g.state
            when 'given' then (e.event = 'confirmed' or e.source in ('keyword', 'reply'))
              and (e.given_at = '' or e.given_at >= s.since)
            else e.source = 'keyword' and g.until > pb_text(clock_timestamp())
          end
      )
  )
$$;
