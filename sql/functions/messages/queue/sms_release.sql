-- Assigns due messages, whose queue rows the caller has locked, to lines, by the rules for new sends. If all
-- lines are at a limit, a message waits until one is not; if no line fits, for a minute. A device that the
-- request names may be offline. A conversation whose last text was scheduled moves up in lists when the text
-- leaves. Returns the devices to wake.
--
--   texts           from sms_due_waiting or sms_due_scheduled
--   online_seconds  a device that was seen within them counts as online
--   sticky          a pb_date: a line that exchanged texts with the number since then is preferred; '' for
--                   none
create or replace function sms_release(texts text[], online_seconds float8, sticky text)
returns table (device text) language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  since constant text := pb_text(now() - online_seconds * interval '1 second');
begin
  if cardinality(texts) = 0 then
    return;
  end if;
  return query
  with due as (
    select d.message, d."user", d.device, d.line, d.pinned, d.line_pinned, d.lines, d.quiet_zone, d.priority, m."to", m.segments,
      m.sim, m.scheduled_at, row_number() over (partition by d."user" order by d.priority desc, d.position) as n
    from sms_dispatch d join sms_messages m on m.id = d.message
    where d.message = any(texts)
  ), asked as (
    select d."user", json_agg(json_build_object('n', d.n, 'to', d."to", 'segments', d.segments, 'priority', d.priority, 'sim', d.sim,
      'device', case when d.pinned then d.device end, 'line', case when d.line_pinned then d.line end,
      'zone', d.quiet_zone, 'lines', d.lines
    ) order by d.n) as texts
    from due d group by d."user" order by d."user"
  ), given as materialized (
    select t."user", a.* from asked t
    cross join lateral sms_assign(t."user", since, now(), sticky, false, t.texts) a
  ), target as (
    select d.message, d."user", d."to", d.segments, d.scheduled_at, coalesce(g.device, d.device) as device,
      coalesce(g.line, d.line) as line, coalesce(g.number, '') as number, g.charged, g.cost,
      case when g.line is null then coalesce(g.room_at, now() + interval '1 minute') end as room_at,
      case when g.line is null then coalesce(nullif(g.reason, ''), 'room') else '' end as reason
    from due d join given g on g."user" = d."user" and g.n = d.n
  ), moved as (
    update sms_dispatch d set device = t.device, line = t.line, charged = t.charged, cost = t.cost,
      state = case when t.room_at is null then 'assigned' else 'pending' end,
      waiting_for = t.reason,
      due_at = coalesce(t.room_at, d.due_at), wakes = (t.room_at is null)::int,
      wake_at = case when t.room_at is null then now() + sms_wake_interval() end
    from target t where d.message = t.message
  ), changed as (
    update sms_messages m set status = case when t.room_at is null then 'assigned' else 'pending' end,
      device = t.device, line = case when t.room_at is null then t.line else '' end, "from" = t.number,
      waiting_for = t.reason, updated = pb_text(now())
    from target t
    where m.id = t.message and (t.room_at is null or m.waiting_for <> t.reason) returning m.id
  ), conversation as (
    select c.id from target t
    join conversations c on c."user" = t."user" and c.number = t."to" and c.last_message = t.message
    where t.room_at is null and t.scheduled_at <> '' order by c."user", c.number for update of c
  ), moved_up as (
    update conversations c set last_at = pb_text(now()), updated = pb_text(now())
    from conversation l where c.id = l.id returning c.id
  ), noted as (
    insert into _changes (collection, action, record)
    select 'conversations', 'update', u.id from moved_up u where exists (select from _listeners)
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created)
    select pb_new_id(), t."user", t.message, case when t.room_at is null then 'assigned' else 'pending' end,
      t.device, 0, case t.reason when 'room' then case t.segments when 0 then 'No line for MMS has room' else 'No line has room' end
        when 'quiet_hours' then 'Quiet hours' else '' end,
      pb_text(now())
    from target t join changed c on c.id = t.message
  )
  select distinct t.device from target t where t.room_at is null;
end $$;
