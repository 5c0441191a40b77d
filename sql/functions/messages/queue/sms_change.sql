-- Changes waiting messages, whose rows of the queue and of sms_messages the caller has locked, as
-- sms_planned_change plans it: all of them, or none if a message is `unfit` or the judge refuses it. Adds
-- their events and, if the sender did not write all of them, a row of the account's audit log. Returns the
-- plan.
--
--   act     `change` of a message or `reschedule` of a batch, for the audit log
--   record  the id of the message or batch, for the audit log
create or replace function sms_change(
  texts text[], scheduled text, expires text, ttl int, new_body text, new_segments float8, new_priority int,
  sender json, may_cancel boolean, act text, record text
) returns table (
  message text, what text, unfit boolean, refusal text, due timestamptz, ends timestamptz, next_priority int,
  next_segments float8
) language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  owner constant text := sender ->> 'user';
  author constant text := sender ->> 'by';
begin
  return query
  with wanted as materialized (
    select p.* from sms_planned_change(
      texts, scheduled, expires, ttl, new_body, new_segments, new_priority, sms_change.sender, may_cancel) p
  ), fit as (
    select w.* from wanted w
    where w.what <> '' and not exists (select from wanted x where x.unfit or x.refusal is not null)
  ), moved as (
    update sms_dispatch d set due_at = f.due, expires_at = f.ends, priority = f.next_priority,
      waiting_for = f.waits_for
    from fit f where d.message = f.message
  ), changed as (
    update sms_messages m set scheduled_at = case when f.waits_for = '' then pb_text(f.due) else m.scheduled_at end,
      expires_at = coalesce(pb_text(f.ends), ''), waiting_for = f.waits_for, priority = f.next_priority,
      body = f.next_body, segments = f.next_segments, updated = pb_text(now())
    from fit f where m.id = f.message
  ), retold as (
    update conversations c set last_text = left(new_body, 1600), updated = pb_text(now())
    from fit f where c.last_message = f.message and c.last_message <> '' and new_body is not null returning c.id
  ), heard as (
    insert into _changes (collection, action, record)
    select 'conversations', 'update', r.id from retold r where exists (select from _listeners)
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created, changed_by)
    select pb_new_id(), owner, f.message, 'pending', f.device, 0, 'Changed: ' || f.what, pb_text(now()), author
    from fit f
  ), noted as (
    insert into account_audit (id, "user", sender, action, collection, record, fields, created)
    select pb_new_id(), owner, author, act, 'sms_messages', sms_change.record,
      case act when 'change' then array_to_json(string_to_array(max(f.what), ', ')) else '[]' end, pb_text(now())
    from fit f where author <> owner having bool_or(f.sent_by <> author)
  )
  select w.message, w.what, w.unfit, w.refusal, w.due, w.ends, w.next_priority, w.next_segments from wanted w;
end $$;
