-- The entry of consents by which a number was last asked to confirm that it joins a group; null if no
-- question waits for an answer. `state`: id of a row of consent_states. A number that has left the group
-- stays `stopped` until it confirms.
create or replace function consent_question(state text) returns text
language sql stable as $$
  select case s.state when 'asked' then s.entry else (
    select e.id from consents e
    where e."user" = s."user" and e.number = s.number and e."group" = s."group" and e.event = 'opt_in'
      and e.created >= s.since
    order by e.created desc, e._rowid desc limit 1
  ) end
  from consent_states s where s.id = consent_question.state and s.until > pb_text(clock_timestamp())
$$;
