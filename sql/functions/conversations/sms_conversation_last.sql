-- The fields of the conversation of `owner` with the phone number `other`, from its messages: one row.
-- `heard`: when the last text came in; '' if none did. `offset 0` makes Postgres find the messages by phone
-- number, not by their time among all messages of the user.
create or replace function sms_conversation_last(owner text, other text) returns table (
  id text, body text, at text, type text, device text, heard text, name text
) language sql stable as $$
  with incoming as (
    select * from (
      select m.id, left(m.body, 1600) as body, m.created, m.device from sms_messages m
      where m."user" = owner and m."from" = other and m."from" <> '' and m.message_type = 'incoming' offset 0
    ) m order by m.created desc limit 1
  ), outgoing as (
    select * from (
      select m.id, left(m.body, 1600) as body, m.created, m.device from sms_messages m
      where m."user" = owner and m."to" = other and m."to" <> '' and m.message_type = 'outgoing'
        and m.batch_id = '' offset 0
    ) m order by m.created desc limit 1
  ), last as (
    select i.*, 'incoming' as type from incoming i union all select o.*, 'outgoing' from outgoing o
    order by created desc limit 1
  )
  select coalesce(l.id, ''), coalesce(l.body, ''), coalesce(l.created, ''), coalesce(l.type, ''),
    coalesce((select i.device from incoming i), ''), coalesce((select i.created from incoming i), ''),
    coalesce((select c.name from contacts c where c."user" = owner and c.phone = other), '')
  from (select 1) one left join last l on true
$$;
