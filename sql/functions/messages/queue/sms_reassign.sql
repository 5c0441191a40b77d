-- Gives queued messages, whose queue rows the caller has locked, a line of another device each, by the
-- rules for new sends. Without another device, a message that was being sent keeps its line, and any other
-- stays as it is. A device whose lease has ended is told not to send its text any more. An MMS leaves a line
-- that does not send MMS (`charged` is '-'). Attempts from the third on wait 5 s to 5 min. Returns the
-- devices to wake.
--
--   whys            for each message, the reason that its event shows; a single one is that of all
--   online_seconds  a device that was seen within them counts as online
--   is_charged      the line that had the message keeps its charge: it may have sent it. If the line has
--                   limits and no other device sends the message, the sweep charges it again (`charged` is
--                   '-'), once the line has room
create or replace function sms_reassign(texts text[], whys text[], online_seconds float8, is_charged boolean)
returns table (device text) language plpgsql as $$
#variable_conflict use_column
declare
  since constant text := pb_text(now() - online_seconds * interval '1 second');
begin
  if coalesce(cardinality(texts), 0) = 0 then
    return;
  end if;
  return query
  with numbered as (
    select d.message, d."user", d.device, d.line, case when not is_charged or d.charged = '' then d.charged else '-' end as charged,
      case when not is_charged then d.cost end as cost, d.state, d.pinned, d.attempt, d.lines, d.priority, m."to", m.segments, m.sim,
      coalesce(s.why, whys[1]) as why,
      m.segments = 0 and not exists (select from lines l where l.id = d.line and l.mms = 'on') as is_stuck,
      row_number() over (partition by d."user" order by d.position) as n
    from unnest(texts, whys) s(message, why)
    join sms_dispatch d on d.message = s.message join sms_messages m on m.id = s.message
    where sms_may_become(m.status, 'assigned')
  ), asked as (
    select "user", json_agg(json_build_object('n', n, 'to', "to", 'segments', segments, 'priority', priority, 'sim', sim, 'avoid', device,
      'was_line', line, 'was_day', case when is_charged then '' else charged end, 'was_cost', cost, 'lines', lines) order by n) as texts
    from numbered where not pinned group by "user" order by "user"
  ), given as materialized (
    select t."user", a.* from asked t cross join lateral sms_assign(t."user", since, now(), '', false, t.texts) a
  ), target as (
    select s.message, s."user", s.attempt, s.why, s.device as former, coalesce(g.device, s.device) as device,
      coalesce(g.line, s.line) as line, g.number,
      case when g.line is not null then g.charged when s.is_stuck then '-' else s.charged end as charged,
      case when g.line is not null then g.cost when not s.is_stuck then s.cost end as cost,
      case when s.attempt > 1 then least(300, 5 * 3 ^ least(s.attempt - 2, 9)) else 0 end as pause
    from numbered s left join given g on g."user" = s."user" and g.n = s.n and not s.pinned
    where g.line is not null or s.state = 'sending'
  ), refunded as materialized (
    select sms_line_refund(s.line, s.charged, s."to", s.cost, s."user")
    from target t join numbered s on s.message = t.message
    where t.charged = '-' and s.charged not in ('', '-') order by s.line, s.message
  ), moved as (
    update sms_dispatch d
    set state = 'assigned', device = t.device, line = t.line, charged = t.charged, cost = t.cost, lease_until = null, wakes = 1,
      due_at = now() + t.pause * interval '1 second',
      wake_at = now() + greatest(t.pause * interval '1 second', sms_wake_interval())
    from target t where d.message = t.message
  ), changed as (
    update sms_messages m set status = 'assigned', device = t.device, line = t.line, waiting_for = '',
      "from" = coalesce(t.number, m."from"), updated = pb_text(now())
    from target t where m.id = t.message
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created)
    select pb_new_id(), t."user", t.message, 'assigned', t.device, t.attempt, t.why, pb_text(now()) from target t
  ), announced as materialized (
    select sms_announce_canceled(t.former, t.message, t.attempt) from target t where is_charged and t.former <> ''
  )
  select distinct t.device from target t
  where (select count(*) from refunded) >= 0 and (select count(*) from announced) >= 0;
end $$;
