-- The numbers that have opted out of all texts of an account (`owner`). `opted_out` of the contact
-- says so. A number without a contact has the state that its last opt-out left: the contact was deleted, or
-- has another number now. Sends, the release of due texts, and all that ends texts ask this function.
--
-- In PL/pgSQL, which keeps the plan: sms_accept calls it for each group of sends. With subqueries for one
-- value and without scans of tables, Postgres looks up each number: a plan that was made while contacts were
-- few would read all of them for each number. Without force_generic_plan it plans again for one number.
create or replace function consent_stopped(owner text, numbers text[]) returns text[]
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return array(
    select n.number from unnest(numbers) n(number)
    where coalesce(
      (select c.opted_out from contacts c where c."user" = owner and c.phone = n.number),
      (
        select s.state = 'stopped' and not consent_rejoined(owner, s.number, s.since)
        from consent_states s
        where s."user" = owner and s.number = n.number and s."group" = '' and s.purpose = 'all'
      )
    )
  );
end $$;
