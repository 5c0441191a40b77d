-- Stores that a server begins an attempt of a carrier, and asks once more whether the text may leave: before
-- each request, in the same statement. The row of the queue stays locked until the commit, so that a
-- cancellation sees the attempt, or this function the cancellation.
--
-- Parameters
--   begun     the time of the attempt's row, which no other process chooses
--   formers   the earlier times with which this process began the same attempt
--   is_fresh  the claim has answered a moment ago whether the account and the device are enabled, and
--             what sms_refusals says. To ask again takes 300 µs. What people do (STOP, leaving a group,
--             an erasure, a cancellation) is in the row of the queue, which is always read
-- Returns as Begun in src/programs/agent/send-journal.ts: `here` or `elsewhere`, by who has begun the
-- attempt, if the device still holds it under a lease, the account and the device are enabled, nobody has
-- canceled the text and its person still wants it (sms_refusals); else `withdrawn` or `over`.
create or replace function sms_begin(
  of_device text, of_message text, of_attempt int, begun timestamptz, formers timestamptz[], is_fresh boolean
) returns text language plpgsql as $$
declare
  held record;
  is_own boolean;
  may_leave boolean;
begin
  insert into carrier_attempts as a (device, message, attempt, begun_at)
  values (of_device, of_message, of_attempt, begun)
  on conflict (device, message, attempt) do update set begun_at = begun where a.begun_at = any (formers || begun);
  is_own := found;
  select d."user", d.scope into held
  from sms_dispatch d
  where d.message = of_message and d.device || '' = of_device and d.attempt = of_attempt and d.state || '' = 'sending'
    and d.refused = '' and d.lease_until > clock_timestamp()
    and (d.expires_at is null or d.expires_at > clock_timestamp())
  for key share of d;
  may_leave := found;
  if may_leave and not is_fresh then
    may_leave := exists (
      select from sms_messages m where m.id = of_message and m.status || '' = 'sending'
        and exists (select from devices v where v.id = of_device and v."user" = held."user" and v.enabled)
        and not exists (select from user_settings s where s."user" = held."user" and s.disabled)
        and sms_refusals(held."user", array[m."to"]::text[], held.scope::text, m.sent_by) is null
    );
  end if;
  return case when is_own then case when may_leave then 'here' else 'withdrawn' end
    when may_leave then 'elsewhere' else 'over' end;
end $$;
