-- Claims messages for devices. Returns first those that each device has claimed before and whose lease
-- still runs, because the answer may have been lost, then new ones by priority and age. A text leaves by this
-- function alone, so it asks sms_refusals of each text whether it may still go to its person. It hands out
-- none that may not, and notes the reason in `refused` of those that wait: the next sweep ends them.
--
-- `asks` is a JSON array of objects:
--   number        identifies the ask in the results
--   device, "user"
--   limit         maximum messages, old and new
--   most          maximum new messages; null or absent for any
--   room          maximum new messages that the device's limits allow; null for any
--   lines         how many messages each line with a limit per minute allows; null if that was not looked
--                 up: then a device that has such a line gets no new message. If `room` is null, too, the
--                 result for it has a row without id
--   seconds       the lease
--
-- `attachments` names the files of an MMS; null for a text.
create or replace function sms_claim(asks json) returns table (
  number int, id text, attempt int, "to" text, body text, sim float8, priority float8, expires_at text,
  lease_until text, sealed text, subject text, attachments text[]
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with given as (
    select g.*, g.lines is null and exists (select from lines l where l.device = g.device and l.per_minute > 0) as is_paced
    from json_to_recordset(asks)
      g(number int, device text, "user" text, "limit" int, most bigint, room bigint, lines json, seconds float8)
  ), held as (
    select g.number, h.* from given g cross join lateral (
      select d.message as id, d.attempt, d.lease_until, d.priority as rank, d.position, d.sealed, d."user", d.scope::text, m.*
      from sms_dispatch d
      cross join lateral (
        select m."to", m.body, m.line, m.sim, m.priority, m.expires_at, m.sent_by, m.subject,
          case when m.segments = 0 then m.attachments end as attachments
        from sms_messages m where m.id = d.message offset 0
      ) m
      where d.device = g.device and d."user" = g."user" and d.state = 'sending' and d.lease_until > now() and d.refused = ''
      order by d.priority desc, d.position limit g."limit"
    ) h
  ), due as (
    select g.number, g.seconds, h.* from given g cross join lateral (
      select d.message, d."user", d.scope::text, m."to", m.sent_by
      from sms_dispatch d
      cross join lateral (
        select m."to", m.sent_by from sms_messages m
        where m.id = d.message and sms_may_become(m.status, 'sending') offset 0
      ) m
      where d.device = g.device and d."user" = g."user" and d.state = 'assigned' and d.refused = ''
        and (d.due_at is null or d.due_at <= now()) and (d.expires_at is null or d.expires_at > now())
        and (d.charged = '' or d.charged >= (select sms_local_day(g."user", now())))
        and (d.quiet_zone is null or d.quiet_zone <> all ((select sms_quiet_zones(g."user"))::text[]))
        and d.line <> all (array(
          select l.id from lines l where l.device = g.device and not (l.enabled and l.present)))
        and case when g.lines is null then not g.is_paced
          -- within the limits per minute of the lines
          else d.message in (
            select q.message from (
              select p.message, p.line,
                row_number() over (partition by p.line order by p.priority desc, p.position) as n
              from sms_dispatch p where p.device = g.device and p."user" = g."user" and p.state = 'assigned'
                and p.refused = ''
                and (p.due_at is null or p.due_at <= now()) and (p.expires_at is null or p.expires_at > now())
            ) q where q.n <= coalesce((g.lines ->> q.line)::float8, 'infinity')
          ) end
        and exists (select from devices v where v.id = g.device and v."user" = g."user" and v.enabled
          and (g.room is not null or v.per_minute <= 0 and v.daily_limit <= 0))
        and not exists (select from user_settings s where s."user" = g."user" and s.disabled)
      order by d.priority desc, d.position
      limit greatest(0, least(g."limit" - (select count(*) from held o where o.number = g.number), g.room, g.most))
      for update of d skip locked
    ) h
  ), asked as (
    select array_agg(c.message) as messages, sms_refusals(c."user", array_agg(c."to"), c.scope, c.sent_by) as refusals
    from (
      select d.message, d."user", d.scope, d."to", d.sent_by from due d
      union all
      select h.id, h."user", h.scope, h."to", h.sent_by from held h
    ) c group by c."user", c.scope, c.sent_by
  ), refused as materialized (
    select r.message, r.refusal from asked a cross join lateral unnest(a.messages, a.refusals) r(message, refusal)
    where a.refusals is not null and r.refusal <> ''
  ), marked as (
    update sms_dispatch d set refused = r.refusal
    from refused r where d.message = r.message and d.message = any(array(select due.message from due))
  ), taken as (
    update sms_dispatch d
    set state = 'sending', attempt = d.attempt + 1, lease_until = now() + due.seconds * interval '1 second',
      wake_at = null
    from due where d.message = due.message and d.message = any(array(select due.message from due))
      and due.message <> all(array(select r.message from refused r))
    returning due.number, d.message, d.attempt, d.lease_until, d.priority, d.position, d.sealed, d.device, d."user",
      d.line
  ), changed as (
    update sms_messages m set status = 'sending', updated = pb_text(now())
    from taken t where m.id = t.message and m.id = any(array(select taken.message from taken))
    returning t.number, m.id, t.attempt, m."to", m.body, m.line, m.sim, m.priority, m.expires_at, t.lease_until, t.sealed,
      m.subject, case when m.segments = 0 then m.attachments end as attachments, true as is_new, t.priority as rank, t.position
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created)
    select pb_new_id(), t."user", t.message, 'sending', t.device, t.attempt, '', pb_text(now())
    from taken t where t.message in (select changed.id from changed)
  ), counted as (
    insert into device_handouts (device, line, at, messages)
    select t.device, t.line, now(), count(*) from taken t group by t.device, t.line
  ), claimed as (
    select h.number, h.id, h.attempt, h."to", h.body, h.line, h.sim, h.priority, h.expires_at, h.lease_until, h.sealed, h.subject,
      h.attachments, false as is_new, h.rank, h.position
    from held h where h.id <> all(array(select r.message from refused r))
    union all
    select c.* from changed c
  ), found as (
    select c.number, c.id, c.attempt, c."to", c.body,
      coalesce(nullif((select l.slot from lines l where l.id = c.line), 0), c.sim) as sim, c.priority,
      c.expires_at::text as expires_at, pb_text(c.lease_until) as lease_until, c.sealed, c.subject, c.attachments,
      c.is_new, c.rank, c.position
    from claimed c
    union all
    select g.number, null, 0, '', '', 0, 0, '', '', null, '', null, true, 0, 0 from given g
    where g.room is null and g.is_paced
  )
  select f.number, f.id, f.attempt, f."to", f.body, f.sim, f.priority, f.expires_at, f.lease_until, f.sealed, f.subject, f.attachments
  from found f order by f.number, f.is_new, f.rank desc, f.position;
end $$;
