-- Takes back unclaimed messages that may not be sent now, or that no other step of the sweep would process,
-- up to `room` of each kind:
--
--   1. charged to a past day's limits, or to no line, because it is off or fails (`charged` is '-'). Steps
--      through an index from user to user
--   2. whose quiet hours have begun. Steps through an index from time zone to time zone
--   3. assigned, but without a device
--   4. pending, but without a time
--
-- Planned for each call: the queue is often empty.
create or replace function sms_return_stale(room int) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  texts text[];
  dues timestamptz[];
begin
  texts := array(
    with recursive owners("user", day) as (
      (select d."user", d.charged from sms_dispatch d where d.state = 'assigned' and d.charged <> ''
        order by d."user", d.charged limit 1)
      union all
      select n."user", n.charged from owners o cross join lateral (
        select d."user", d.charged from sms_dispatch d
        where d.state = 'assigned' and d.charged <> '' and d."user" > o."user"
        order by d."user", d.charged limit 1
      ) n
    )
    select d.message
    from owners o join sms_dispatch d on d."user" = o."user" and d.state = 'assigned' and d.charged <> ''
      and d.charged < sms_local_day(o."user", now())
    where o.day < sms_local_day(o."user", now())
    order by d.message limit room for update of d skip locked
  );
  perform sms_take_back(texts, '{}', 'room', 'Its line is given anew');

  with recursive zones("user", zone) as (
    (select d."user", d.quiet_zone from sms_dispatch d where d.state = 'assigned' and d.quiet_zone is not null
      order by d."user", d.quiet_zone limit 1)
    union all
    select n."user", n.quiet_zone from zones z cross join lateral (
      select d."user", d.quiet_zone from sms_dispatch d
      where d.state = 'assigned' and d.quiet_zone is not null and (d."user", d.quiet_zone) > (z."user", z.zone)
      order by d."user", d.quiet_zone limit 1
    ) n
  ), quiet as materialized (
    select z."user", z.zone, sms_quiet_until(
      s.quiet_from, s.quiet_to, s.quiet_days, coalesce(nullif(pb_known_zone(z.zone), ''), sms_time_zone(z."user")), now()
    ) as ends
    from zones z join user_settings s on s."user" = z."user" and s.quiet_from <> ''
  ), stale as (
    select d.message, q.ends
    from quiet q join sms_dispatch d on d."user" = q."user" and d.quiet_zone = q.zone and d.state = 'assigned'
    where q.ends is not null
    order by d.message limit room for update of d skip locked
  )
  select array_agg(s.message), array_agg(s.ends) into texts, dues from stale s;
  perform sms_take_back(texts, dues, 'quiet_hours', 'Quiet hours');

  texts := array(
    select d.message from sms_dispatch d where d.device = '' and d.state = 'assigned'
    order by d.priority desc, d.position limit room for update skip locked
  );
  perform sms_take_back(texts, '{}', 'room', 'It had no device');

  texts := array(
    select d.message from sms_dispatch d where d.state = 'pending' and d.due_at is null
    order by d.due_at limit room for update skip locked
  );
  perform sms_take_back(texts, '{}', 'room', 'It had no device');
end $$;
