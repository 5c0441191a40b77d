-- The question that a person answers by the text `reply`: the group that it asks about, and its words. A text
-- with a question has the id of its entry of consents; one that sends it again names it in `client_ref`. A
-- client may choose the id of its entry, so that only an entry of the server itself is a question.
--
-- YES answers the last text that the number got. No row if that is another text of the account, whatever it
-- asked: anybody can cause a question by a form. Texts that no device has fetched come before the others, and
-- answers to HELP do not count. A text that a phone received before the question is no answer to it; 5
-- minutes are for phones whose clocks are slow.
create or replace function consent_answered(owner text, number text, reply text)
returns table ("group" text, shown text)
language sql stable as $$
  with recursive q as (
    select m.id, m.body, m.status in ('sending', 'sent', 'delivered') as is_out,
      coalesce(nullif(m.sent_at, ''), m.created) as at
    from sms_messages m
    where m."user" = owner and m."to" = consent_answered.number and m.message_type = 'outgoing'
      and m.status <> 'failed' and not exists (
        select from auto_answers_sent a
        where m.client_ref like 'auto:%' and a.message = substr(m.client_ref, 6) and a.answer = owner
          and not exists (select from consents e where e.message = a.message))
    order by is_out desc, at desc, m._rowid desc limit 1
  ), asked(id) as (
    select q.id::text from q
    union
    select substr(m.client_ref, 7) from asked a
    join sms_messages m on m.id = a.id and m."user" = owner and m.client_ref like 'retry:%'
  )
  select s."group", coalesce(nullif(e.shown, ''), q.body)
  from q
  join asked a on true
  join consents e on e.id = a.id and e."user" = owner and e.number = consent_answered.number
    and e.event = 'opt_in' and e.source in ('keyword', 'page') and e.entered_by = ''
  join consent_states s on s."user" = owner and s.number = e.number and s."group" = e."group" and s.purpose = ''
  join sms_messages r on r.id = reply
  where e.created > pb_text(now() - interval '2 days') and s.until > pb_text(now())
    and (s.state = 'asked' or e.created >= s.since)
    and r.delivered_at >= pb_text(q.at::timestamptz - interval '5 minutes')
$$;
