-- Plans and judges a change of waiting messages. Null keeps a value.
--
-- Parameters
--   scheduled, expires  pb_dates; '' for now and for never
--   ttl                 the expiry in seconds after the message is due
--   sender              JSON of who changes them: user, version, key, key_version, by (see sms_limits_of)
--   may_cancel          the sender may also cancel: an earlier end does
-- Results, one row for each message
--   due, ends, next_…, waits_for  the new values; an MMS keeps its 0 segments
--   what                lists the changes
--   unfit               the message would expire before it is due
--   refusal             of the judge, as src/gateway/messages/send/sending-permission.ts has it; `scope`
--   without may_cancel
create or replace function sms_planned_change(
  texts text[], scheduled text, expires text, ttl int, new_body text, new_segments float8, new_priority int,
  sender json, may_cancel boolean
) returns table (
  message text, device text, sent_by text, due timestamptz, ends timestamptz, next_priority int, waits_for text,
  next_body text, next_segments float8, unfit boolean, refusal text, what text
) language plpgsql stable set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  author constant text := sender ->> 'by';
begin
  return query
  with waiting as (
    select d.message, d.device, d.due_at, d.waiting_for, d.expires_at, d.priority, m.body, m.segments, m.sent_by,
      case
        when l.stale and sender ->> 'version' is not null then 'stale'
        when m.sent_by <> author and exists (
          select from campaigns c where c.id = m.sent_by and c."user" = m."user") then 'campaign ' || m.sent_by
        when l.destinations || l.key_destinations <> '' or l.key_lines is not null then sms_may('change',
          l.destinations, l.key_destinations, l.key_lines, array[m."to"], case when d.pinned then d.device end,
          case when d.line_pinned then d.line end, m.sim::int, d.lines)
      end as refusal
    from sms_messages m join sms_dispatch d on d.message = m.id
    cross join sms_limits_of(sender ->> 'user', sender ->> 'version', sender ->> 'key', sender ->> 'key_version', author) l
    where m.id = any(texts)
  ), timed as (
    select w.*, case when scheduled = '' then date_trunc('milliseconds', now())
      else coalesce(nullif(scheduled, '')::timestamptz, w.due_at) end as due
    from waiting w
  ), counted as (
    select t.*, case when scheduled is null and t.waiting_for <> '' then now() else t.due end as counted_from
    from timed t
  ), ended as (
    select t.*, case
        when ttl is not null
          then least(t.counted_from + ttl * interval '1 second', '9999-12-31 23:59:59.999Z'::timestamptz)
        when expires = '' then null
        else coalesce(nullif(expires, '')::timestamptz, t.expires_at)
      end as ends
    from counted t
  )
  select e.message, e.device, e.sent_by, e.due, e.ends, coalesce(new_priority, e.priority::int),
    case when scheduled is null then e.waiting_for else '' end, coalesce(new_body, e.body),
    case e.segments when 0 then 0 else coalesce(new_segments, e.segments) end,
    coalesce(scheduled, expires, ttl::text) is not null and coalesce(e.ends <= greatest(e.counted_from, now()), false),
    case when not may_cancel and coalesce(e.ends, 'infinity') < coalesce(e.expires_at, 'infinity') then 'scope'
      else e.refusal end,
    concat_ws(', ',
      case when e.due <> e.due_at then 'time' end,
      case when e.ends is distinct from e.expires_at then 'expiry' end,
      case when new_body <> e.body then 'text' end,
      case when new_priority <> e.priority then 'priority' end)
  from ended e;
end $$;
