-- Whether a person has stopped since a statement was made: has opted out of all texts of an account (`owner`)
-- or of the `group` or, without a group, the `purpose`. `message`: the text by which the person made the
-- statement; '' for another statement, which was made at `given` ('': now).
--
-- Two texts are compared by the times at which a phone received them: it may report them long after, and in
-- another order. Anything else counts from its arrival at the server, and so does a text that was deleted.
create or replace function consent_is_late(
  owner text, number text, "group" text, purpose text, message text, given text
) returns boolean
language sql stable as $$
  select exists (
    select from consent_states s
    left join consents e on e.id = s.entry and e.source = 'keyword'
    left join sms_messages m on m.id = e.message
    left join sms_messages t on t.id = consent_is_late.message
    where s."user" = owner and s.number = consent_is_late.number and s.state = 'stopped'
      and (s."group" = '' and s.purpose = 'all'
        or s."group" = consent_is_late."group" and s.purpose = consent_is_late.purpose)
      and case when t.id is null then s.since >= nullif(given, '')
        else coalesce(m.delivered_at, s.since) >= t.delivered_at end
  )
$$;
