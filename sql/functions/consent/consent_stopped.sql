-- Those of these numbers that have opted out of all texts of an account (`owner`). `opted_out` of the contact
-- says so. A number without a contact has the state that its last opt-out left: the contact was deleted, or
-- has another number now. Sends, the release of due texts, and all that ends texts ask this function.
--
-- Without a contact, a person who has texted a word that joins a group, or has confirmed, after the STOP has
-- opted in again. The word alone is enough: the person must get the question. A question of a page is not.
--
-- In PL/pgSQL, which keeps the plan: sms_accept calls it for each group of sends. With subqueries for one
-- value and without scans of tables, Postgres looks up each number: a plan that was made while contacts were
-- few would read all of them for each number.
create or replace function consent_stopped(owner text, numbers text[]) returns text[]
language plpgsql stable set enable_seqscan = off as $$
begin
  return array(
    select n.number from unnest(numbers) n(number)
    where coalesce(
      (select c.opted_out from contacts c where c."user" = owner and c.phone = n.number),
      (
        select s.state = 'stopped' and not exists (
          select from consent_states g join consents e on e.id = coalesce(consent_question(g.id), g.entry)
          where g."user" = owner and g.number = s.number and g."group" <> ''
            and case g.state
              when 'given' then (e.event = 'confirmed' or e.source in ('keyword', 'reply'))
                and (e.given_at = '' or e.given_at >= s.since)
              else e.source = 'keyword' and g.until > pb_text(clock_timestamp())
            end
        )
        from consent_states s
        where s."user" = owner and s.number = n.number and s."group" = '' and s.purpose = 'all'
      )
    )
  );
end $$;
