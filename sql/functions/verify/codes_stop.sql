-- Stops codes to a country if too few of the last 20 ones were approved, and returns whether they are
-- stopped now. Counts a pending code as not approved after 3 minutes, and a canceled one too, unless its
-- text was canceled in time. A code that was approved by Twilio's `Status=approved` counts as not approved:
-- a thief with the API key could approve all codes. Begins again when the owner takes a country out of
-- `code_stopped`. The lock on the settings makes concurrent requests queue one mail, which
-- src/alarms/alarms.ts sends.
create or replace function codes_stop(of_user text, to_country text) returns boolean language plpgsql as $$
declare
  finished bigint;
  approved bigint;
  settings text;
  was_stopped boolean;
begin
  select count(*), count(*) filter (where l.is_right) into finished, approved
  from (
    select v.status = 'approved' and v.attempts > 0 as is_right from user_settings s join verifications v on v."user" = s."user"
    where s."user" = of_user and v.country = to_country
      and v.created > greatest(pb_text(now() - interval '1 day'), s.code_counted_from)
      and (v.status <> 'pending' or v.created < pb_text(now() - interval '3 minutes'))
      and not (v.status = 'canceled' and exists (
        select from sms_messages m where m.id = v.message and m.status = 'failed'))
    order by v.created desc limit 20
  ) l;
  if finished < 20 then
    return false;
  end if;
  select s.id, to_country = any (string_to_array(s.code_stopped, ',')) into settings, was_stopped
  from user_settings s where s."user" = of_user and approved * 100 < s.code_approval_floor * finished for update;
  if settings is null then
    return false;
  end if;
  if not was_stopped then
    with written as (
      update user_settings s set code_stopped = concat_ws(',', nullif(s.code_stopped, ''), to_country)
      where s.id = settings returning s.id
    )
    insert into _changes (collection, action, record) select 'user_settings', 'update', w.id from written w
    where exists (select from _listeners where 'user_settings' <> all (ignored));
    insert into _jobs (kind, holder, key, payload)
    values ('alarm_mail', of_user, gen_random_uuid(), json_build_array(json_build_object(
      'name', 'Your account', 'stoppedCountry', to_country, 'waiting', 0)));
  end if;
  return true;
end $$;
