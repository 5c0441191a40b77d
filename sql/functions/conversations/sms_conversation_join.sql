-- Joins the conversation of `owner` with a number that is stored in its national form, as 015112345678, with
-- that of the same number in E.164, `phone`. Does the same with the contact. Returns whether the phone number
-- has opted out. The newer conversation decides what was said last; a block or an opt-out of either holds for
-- both, and the labels of both are kept. Two drafts of one person become one. Locks conversations before
-- contacts, as an incoming text does.
create or replace function sms_conversation_join(owner text, stored text, phone text) returns boolean
language plpgsql as $$
declare
  former conversations;
  kept conversations;
  latest conversations;
  moment text := pb_text(now());
  is_heard boolean := exists (select from _listeners);
begin
  perform from conversations c where c."user" = owner and c.number in (stored, phone) order by c.number for update;
  select * into former from conversations c where c."user" = owner and c.number = stored;
  select * into kept from conversations c where c."user" = owner and c.number = phone;
  if former.id is not null and kept.id is null then
    begin
      update conversations c set number = phone, updated = moment,
        name = coalesce((select p.name from contacts p where p."user" = owner and p.phone = sms_conversation_join.phone), c.name)
      where c.id = former.id;
      insert into _changes (collection, action, record) select 'conversations', 'update', former.id where is_heard;
    exception when unique_violation then
      -- a text has begun the conversation meanwhile
      select * into kept from conversations c where c."user" = owner and c.number = phone for update;
    end;
  end if;
  if former.id is not null and kept.id is not null then
    latest := case when former.last_at > kept.last_at then former else kept end;
    update conversations c set
      last_text = latest.last_text, last_at = latest.last_at, last_type = latest.last_type,
      last_message = latest.last_message, last_sender = latest.last_sender, device = latest.device,
      line = coalesce(nullif(latest.line, ''), nullif(kept.line, ''), former.line),
      blocked = kept.blocked or former.blocked,
      unread = case when kept.blocked or former.blocked then 0 else kept.unread + former.unread end,
      unanswered = latest.unanswered and not (kept.blocked or former.blocked),
      failure = coalesce(nullif(latest.failure, ''), nullif(kept.failure, ''), former.failure), asked_at = latest.asked_at,
      archived = kept.archived and former.archived, labels = labels_joined(kept.labels, former.labels),
      follow_up_at = case when kept.follow_up_at = '' then former.follow_up_at
        when former.follow_up_at = '' then kept.follow_up_at else least(kept.follow_up_at, former.follow_up_at) end,
      assignee = case when kept.assignee = '' then former.assignee else kept.assignee end,
      assigned_at = case when kept.assignee = '' then former.assigned_at else kept.assigned_at end,
      created = least(kept.created, former.created), updated = moment
    where c.id = kept.id;
    with moved as (
      update conversation_notes set conversation = kept.id where conversation = former.id returning id
    )
    insert into _changes (collection, action, record)
    select 'conversation_notes', 'update', id from moved where is_heard;
    with joined as (
      update conversation_drafts k set text = left(k.text || E'\n' || o.text, 5000), updated = moment
      from conversation_drafts o
      where k.conversation = kept.id and o.conversation = former.id and k.author = o.author returning k.id
    )
    insert into _changes (collection, action, record)
    select 'conversation_drafts', 'update', id from joined where is_heard;
    with gone as (
      delete from conversation_drafts o where o.conversation = former.id and exists (
        select from conversation_drafts k where k.conversation = kept.id and k.author = o.author) returning o.*
    )
    insert into _changes (collection, action, record, image)
    select 'conversation_drafts', 'delete', gone.id, row_to_json(gone.*) from gone where is_heard;
    with moved as (
      update conversation_drafts set conversation = kept.id where conversation = former.id returning id
    )
    insert into _changes (collection, action, record)
    select 'conversation_drafts', 'update', id from moved where is_heard;
    delete from conversations where id = former.id;
    insert into _changes (collection, action, record, image)
    select 'conversations', 'delete', former.id, row_to_json(former) where is_heard;
    insert into _changes (collection, action, record) select 'conversations', 'update', kept.id where is_heard;
  end if;
  perform sms_contact_join(owner, stored, phone);
  return consent_stopped(owner, array[phone]) <> '{}';
end $$;
