-- Applies devices' reports, at most one of a device on a message. A report counts if it is of the current
-- attempt, the status is `sending` or `sent`, and sms_may_become allows the change. A report's time counts
-- unless it is before the message was accepted (or sent) or in the future. The reason is the detail of the
-- step, and of a failure the message's error. It is not stored with a message whose content was removed: it
-- may name the number. A message that failed while it was `sending` costs nothing and does not count for
-- limits. Two devices may report on one message in one call: only the report of its own device counts.
-- Locks queue rows, then messages, each by id.
--
-- `reports` is a JSON array of objects: number (identifies the report), device, "user", id (of the message),
-- attempt, status, at (ms since 1970, by the device's clock), reason. Results, one row for each report:
--   number, status  the report, and the status of its message before; null if the device has no such message
--   is_applied      whether the message is now as reported
--   line            the line whose failures this report counts in (sms_line_outcomes), null for none
create or replace function sms_report(reports json) returns table (
  number int, status text, is_applied boolean, line text
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with given as (
    select * from json_to_recordset(reports)
      g(number int, device text, "user" text, id text, attempt int, status text, at float8, reason text)
  ), queued as materialized (
    select d.message from given g
    join sms_dispatch d on d.message = g.id and d.message = any(array(select given.id from given))
    where d.device || '' = g.device and d."user" || '' = g."user" order by d.message for update of d
  ), held as materialized (
    select m.id, m.device, m."user", m.status, m.line, m."to", '' in (m."to", m.body) as is_blank, greatest(m.created::text, m.sent_at::text) as since
    from given g join sms_messages m on m.id = g.id and m.id = any(array(select given.id from given))
    where m.device || '' = g.device and m."user" || '' = g."user" and (select count(*) from queued) >= 0
    order by m.id for update of m
  ), freed as (
    delete from sms_dispatch d using given g
    where d.message = g.id and d.message = any(array(select queued.message from queued))
      and d.device || '' = g.device and d."user" || '' = g."user"
      and d.state || '' = 'sending' and d.attempt = g.attempt
    returning d.message, d.line, d.charged, d.cost, d."user"
  ), applicable as (
    select m.id, g.status, g.attempt, case when m.is_blank then '' else g.reason end as reason, g.device, pb_text(
      case when to_timestamp(g.at / 1000) between m.since::timestamptz and now()
        then to_timestamp(g.at / 1000) else now() end) as at
    from given g join held m on m.id = g.id and m.device = g.device and m."user" = g."user"
    where sms_may_become(m.status, g.status)
      and (m.id in (select freed.message from freed) or (m.status = 'sent' and exists (
        select from sms_events e where e.message = m.id and e.status = 'sent' and e.attempt = g.attempt)))
  ), changed as (
    update sms_messages m
    set status = a.status, waiting_for = '', updated = pb_text(now()),
      error_message = case when a.status = 'failed' then a.reason else '' end,
      sent_at = case when a.status = 'failed' or m.sent_at <> '' then m.sent_at else a.at end,
      delivered_at = case when a.status = 'delivered' then a.at else m.delivered_at end
    from applicable a
    where m.id = a.id and m.id = any(array(select applicable.id from applicable))
    returning m.id, m."user", a.status, a.attempt, a.reason, a.device
  ), events as (
    insert into sms_events (id, "user", message, status, device, attempt, detail, created)
    select pb_new_id(), c."user", c.id, c.status, c.device, c.attempt, c.reason, pb_text(now()) from changed c
  ), refunded as materialized (
    select sms_line_refund(f.line, f.charged, m."to", f.cost, f."user")
    from freed f join changed c on c.id = f.message and c.status = 'failed' join held m on m.id = f.message
    where f.charged not in ('', '-') order by f.line, f.message
  )
  select g.number, m.status, c.id is not null,
    case when c.id in (select freed.message from freed) and (c.status = 'failed' or u.failures > 0) then m.line end
  from given g
  left join held m on m.id = g.id and m.device = g.device and m."user" = g."user"
  left join changed c on c.id = m.id
  left join line_use u on u.line = m.line
  where (select count(*) from refunded) >= 0
  order by g.number;
end $$;
