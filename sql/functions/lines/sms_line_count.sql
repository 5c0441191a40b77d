-- Called when a line gets its first limit, because lines without limits are not counted. Counts what the line
-- has sent on this local day and in this month, and its queued messages. Messages that waited longer than a
-- month for their time or for a line are found by their events. New messages of the user wait until the
-- commit.
create or replace function sms_line_count(of_line text, owner text) returns void language plpgsql as $$
declare
  today constant text := sms_local_day(owner, now());
  this_month constant text := left(today, 7);
  month_start constant text := pb_text(now() - interval '32 days');
begin
  insert into sms_turns ("user") values (owner) on conflict do nothing;
  perform from sms_turns t where t."user" = owner for update;
  update sms_dispatch d set charged = today
  where d."user" = owner and d.line = of_line and d.state <> 'pending' and d.charged = '';
  delete from line_recipients r where r.line = of_line;
  with recent as (
    select m.id from sms_messages m where m."user" = owner and m.created > month_start and m.line = of_line
    union
    select e.message from sms_events e
    where e."user" = owner and e.created > month_start and e.status in ('sent', 'delivered', 'failed')
    union
    select d.message from sms_dispatch d where d."user" = owner and d.line = of_line
  ), texts as (
    select m."to", case when m.sent_at = '' then today else sms_local_day(owner, m.sent_at::timestamptz) end as day
    from recent join sms_messages m on m.id = recent.id
    where m."user" = owner and m.line = of_line and m.message_type = 'outgoing'
      and (m.status in ('assigned', 'sending', 'sent', 'delivered') or m.status = 'failed' and m.sent_at <> '')
  ), kept as (
    insert into line_recipients (line, month, number, texts)
    select of_line, this_month, t."to", count(*) from texts t
    where left(t.day, 7) = this_month group by t."to" returning 1
  )
  insert into line_use as u (line, day, day_texts, month, month_texts, recipients)
  select of_line, today, count(*) filter (where t.day = today), this_month,
    count(*) filter (where left(t.day, 7) = this_month), (select count(*) from kept)
  from texts t
  on conflict (line) do update set day = excluded.day, day_texts = excluded.day_texts, month = excluded.month,
    month_texts = excluded.month_texts, recipients = excluded.recipients;
end $$;
