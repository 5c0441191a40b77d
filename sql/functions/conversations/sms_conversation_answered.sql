-- Makes an accepted text the last text of the conversation with its recipient, if there is one. The
-- person then waits for no answer any more, if the text is by a person, or if it answers: a program
-- says so (`answers` of a send, in sms_origins), or replies by TwiML. An invoice of a shop answers
-- nobody. If the text has a line already, later texts of the conversation prefer that line. A text
-- that is scheduled for later moves the conversation up in lists when it leaves (sms_release). With
-- the setting assign = 'answerer', assigns an unassigned conversation to the sender. Deletes the
-- answer that the sender has saved as a draft, if the text begins with it. Keeps when the person asked
-- (`asked_at`) while the text, or one before it, is on its way: if it fails, the person waits again
-- (sms_conversation_failed). `moment`: a pb_date.
create or replace function sms_conversation_answered(
  owner text, moment text, recipient text, content text, message_id text
) returns void language plpgsql as $$
declare
  changed text;
  is_free boolean;
  answers constant boolean := not exists (
    select from sms_messages m join senders p on p.id = m.sent_by and p.kind not in ('owner', 'member')
    where m.id = message_id
  ) or exists (
    select from sms_origins o where o.ref = message_id and (
      o.data ->> 'answers' = 'true' or o.data ->> 'reply' = 'true'
      or exists (
        select from sms_messages r where r.id = o.data ->> 'answers' and r."user" = owner
          and r.message_type = 'incoming' and r."from" = recipient
      )
    )
  );
begin
  update conversations c set
    last_text = left(content, 1600), last_type = 'outgoing',
    last_at = case when m.scheduled_at > moment then c.last_at else greatest(c.last_at, moment) end,
    last_message = message_id, last_sender = m.sent_by, unanswered = c.unanswered and not answers, updated = moment,
    line = coalesce(nullif(m.line, ''), c.line), failure = '',
    asked_at = case when not answers then c.asked_at
      when c.unanswered then coalesce(nullif(c.asked_at, ''), c.last_at)
      when exists (select from sms_dispatch d where d.message = c.last_message) then c.asked_at else '' end
  from sms_messages m
  where m.id = message_id and c."user" = owner and c.number = recipient
  returning c.id, c.assignee = '' into changed, is_free;
  if is_free and exists (select from user_settings s where s."user" = owner and s.assign = 'answerer') then
    update conversations c set assignee = p.id, assigned_at = moment
    from sms_messages m join senders p on p.id = m.sent_by and p."user" = owner and p.kind in ('owner', 'member')
    where c.id = changed and m.id = message_id;
  end if;
  with sent as (
    delete from conversation_drafts d using sms_messages m
    where d.conversation = changed and m.id = message_id and d.author = m.sent_by and starts_with(content, d.text)
    returning d.*
  )
  insert into _changes (collection, action, record, image)
  select 'conversation_drafts', 'delete', sent.id, row_to_json(sent.*) from sent where exists (select from _listeners);
  if changed is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('conversations', 'update', changed);
  end if;
end $$;
