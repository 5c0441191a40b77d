-- Claims messages for devices. Returns first those that each device has claimed before and whose lease
-- still runs, because the answer may have been lost, then new ones by priority and age.
--
-- `asks` is a JSON array of objects:
--   number        identifies the ask in the results
--   device, "user"
--   limit         maximum messages, old and new
--   room          maximum new messages that the device's limits allow; null for any
--   lines         how many messages each line with a limit per minute allows; null if that was not looked
--                 up: then a device that has such a line gets no new message. If `room` is null, too, the
--                 result for it has a row without id
--   seconds       the lease
create or replace function sms_claim(asks json) returns table (
  number int, id text, attempt int, "to" text, body text, sim float8, priority float8, expires_at text,
  lease_until text, sealed text
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with given as (
    select * from json_to_recordset(asks)
      g(number int, device text, "user" text, "limit" int, room bigint, lines json, seconds float8)
  ), held as (
    select g.number, h.* from given g cross join lateral (
      select d.message, d.attempt, d.lease_until, d.priority, d.position, d.sealed from sms_dispatch d
      where d.device = g.device and d."user" = g."user" and d.state = 'sending' and d.lease_until > now()
      order by d.priority desc, d.position limit g."limit"
    ) h
  ), due as (
    select g.number, g.seconds, h.message from given g cross join lateral (
      select d.message from sms_dispatch d
      where d.device = g.device and d."user" = g."user" and d.state = 'assigned'
        and (d.due_at is null or d.due_at <= now()) and (d.expires_at is null or d.expires_at > now())
        and (d.charged = '' or d.charged >= (select sms_local_day(g."user", now())))
        and (d.quiet_zone is null or d.quiet_zone <> all ((select sms_quiet_zones(g."user"))::text[]))
        and d.line <> all (array(
          select l.id from lines l where l.device = g.device and not (l.enabled and l.present)))
        and coalesce((select sms_may_become(m.status, 'sending') from sms_messages m where m.id = d.message), false)
        and case when g.lines is null
          then not exists (select from lines l where l.device = g.device and l.per_minute > 0)
          -- within the limits per minute of the lines
          else d.message in (
            select q.message from (
              select p.message, p.line,
                row_number() over (partition by p.line order by p.priority desc, p.position) as n
              from sms_dispatch p where p.device = g.device and p."user" = g."user" and p.state = 'assigned'
                and (p.due_at is null or p.due_at <= now()) and (p.expires_at is null or p.expires_at > now())
            ) q where q.n <= coalesce((g.lines ->> q.line)::float8, 'infinity')
          ) end
        and exists (select from devices v where v.id = g.device and v."user" = g."user" and v.enabled
          and (g.room is not null or v.per_minute <= 0 and v.daily_limit <= 0))
        and not exists (select from user_settings s where s."user" = g."user" and s.disabled)
      order by d.priority desc, d.position
      limit greatest(0, least(g."limit" - (select count(*) from held o where o.number = g.number), g.room))
      for update of d skip locked
    ) h
  ), taken as (
    update sms_dispatch d
    set state = 'sending', attempt = d.attempt + 1, lease_until = now() + due.seconds * interval '1 second',
      wake_at = null
    from due where d.message = due.message and d.message = any(array(select due.message from due))
    returning due.number, d.message, d.attempt, d.lease_until, d.priority, d.position, d.sealed, d.device, d."user",
      d.line
  ), changed as (
    update sms_messages m set status = 'sending', updated = pb_text(now())
    from taken t where m.id = t.message and m.id = any(array(select taken.message from taken)) returning m.id
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created)
    select pb_new_id(), t."user", t.message, 'sending', t.device, t.attempt, '', pb_text(now())
    from taken t where t.message in (select changed.id from changed)
  ), counted as (
    insert into device_handouts (device, line, at, messages)
    select t.device, t.line, now(), count(*) from taken t group by t.device, t.line
  ), claimed as (
    select h.*, false as is_new from held h
    union all
    select t.number, t.message, t.attempt, t.lease_until, t.priority, t.position, t.sealed, true from taken t
  ), found as (
    select c.number, m.id, c.attempt, m."to", m.body,
      coalesce(nullif((select l.slot from lines l where l.id = m.line), 0), m.sim) as sim, m.priority,
      m.expires_at::text as expires_at, pb_text(c.lease_until) as lease_until, c.sealed, c.is_new,
      c.priority as rank, c.position
    from claimed c
    join sms_messages m on m.id = c.message and m.id = any(array(select claimed.message from claimed))
      and (not c.is_new or m.id in (select changed.id from changed))
    union all
    select g.number, null, 0, '', '', 0, 0, '', '', null, true, 0, 0 from given g
    where g.room is null and exists (select from lines l where l.device = g.device and l.per_minute > 0)
  )
  select f.number, f.id, f.attempt, f."to", f.body, f.sim, f.priority, f.expires_at, f.lease_until, f.sealed
  from found f order by f.number, f.is_new, f.rank desc, f.position;
end $$;
