-- Fails queued messages, whose queue rows the caller has locked, and takes them off the queue. Returns how
-- many by user and month of the quota. Tells the devices that have fetched them not to send them.
-- `ended_by`: a record of `senders`; '' for the server or a device.
create or replace function sms_fail(texts text[], reason text, ended_by text)
returns table ("user" text, period text, messages bigint) language plpgsql as $$
#variable_conflict use_column
begin
  if cardinality(texts) = 0 then
    return;
  end if;
  return query
  with freed as (
    delete from sms_dispatch d where d.message = any(texts)
    returning d.message, d."user", d.period, d.device, d.attempt
  ), changed as (
    update sms_messages m set status = 'failed', error_message = reason, waiting_for = '', updated = pb_text(now())
    where m.id = any(texts) and sms_may_become(m.status, 'failed') returning m.id
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created, changed_by)
    select pb_new_id(), f."user", f.message, 'failed', f.device, f.attempt, reason, pb_text(now()), ended_by
    from freed f join changed c on c.id = f.message
  ), announced as materialized (
    select sms_announce_canceled(f.device, f.message, f.attempt) from freed f where f.attempt > 0 and f.device <> ''
  )
  select f."user", f.period, count(*) from freed f join changed c on c.id = f.message
  where (select count(*) from announced) >= 0 group by 1, 2 order by 1, 2;
end $$;
