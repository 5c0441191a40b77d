-- Stops codes to a country if too few of the last 20 ones were approved (codes_few_right), and returns
-- whether they are stopped now. Begins again when the owner takes a country out of `code_stopped`. The lock
-- on the settings makes concurrent requests queue one mail, which src/gateway/alarms/alarm-mails.ts sends.
create or replace function codes_stop(of_user text, to_country text) returns boolean language plpgsql as $$
declare
  settings text;
  was_stopped boolean;
begin
  if not codes_few_right(of_user, to_country, false) then
    return false;
  end if;
  select s.id, to_country = any (string_to_array(s.code_stopped, ',')) into settings, was_stopped
  from user_settings s where s."user" = of_user for update;
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
