-- Makes an accepted text the last word of the conversation with its recipient; does nothing if there is none.
-- The line of the message, if it has one already, is the line of the conversation: later texts prefer it.
-- `moment`: a pb_date.
create or replace function sms_conversation_answered(
  owner text, moment text, recipient text, content text, message_id text
) returns void language plpgsql as $$
declare
  changed text;
begin
  update conversations c set
    last_text = left(content, 1600), last_at = greatest(c.last_at, moment), last_type = 'outgoing',
    last_message = message_id, unanswered = false, updated = moment,
    line = coalesce((select nullif(m.line, '') from sms_messages m where m.id = message_id), c.line)
  where c."user" = owner and c.number = recipient
  returning c.id into changed;
  if changed is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('conversations', 'update', changed);
  end if;
end $$;
