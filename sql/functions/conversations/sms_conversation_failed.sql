-- Trigger of sms_messages: says in the conversation with its recipient that a text to one number has failed.
-- If the person waited for the text, the conversation waits for an answer again. A conversation leaves the
-- archive, and a push tells who wrote the text, unless a person has canceled it.
--
-- The text is the last one, or an answer before it to what the person asked last (`asked_at`), or it comes
-- from an automatic answer or a hook. Other texts with `bulk` change no conversation.
--
-- Runs at the commit. So its locks on conversations come after all others, as in sms_accept.
create or replace function sms_conversation_failed() returns trigger language plpgsql as $$
declare
  is_canceled constant boolean := new.error_message = 'Canceled';
  sender senders;
  is_tool boolean;
  is_hook boolean;
  changed conversations;
begin
  select s.* into sender from senders s where s.id = new.sent_by;
  is_tool := coalesce(sender.kind in ('answer', 'hook'), false);
  is_hook := coalesce(sender.kind = 'hook', false);
  update conversations c set
    failure = sms_failure(new.error_message, new.sent_at),
    unanswered = c.unanswered
      or not c.blocked and not is_hook and c.asked_at <> '' and c.asked_at <= new.created,
    archived = c.archived and (c.blocked or is_canceled), updated = pb_text(now())
  where c."user" = new."user" and c.number = new."to" and case
    when c.last_message = new.id then true
    when is_canceled or is_tool then not is_canceled
    else c.asked_at <> '' and c.asked_at <= new.created
      and new.created <= (select m.created from sms_messages m where m.id = c.last_message) end
  returning c.* into changed;
  if changed.id is null then
    return null;
  end if;
  insert into _changes (collection, action, record)
  select 'conversations', 'update', changed.id where exists (select from _listeners where 'conversations' <> all (ignored));
  if not is_canceled and not changed.blocked then
    perform push_queue(new."user", array[concat_ws('@', changed.id,
      case when sender.kind in ('owner', 'member') then sender.id else '' end, new.id)]);
  end if;
  return null;
end $$;
