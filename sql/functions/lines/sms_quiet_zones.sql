-- Returns those time zones (quiet_zone) of a user's assigned texts where quiet hours are in force now.
-- Reads only one row if the user has no quiet hours.
create or replace function sms_quiet_zones(owner text) returns text[] language plpgsql stable as $$
declare
  quiet record;
begin
  select s.quiet_from as starts, s.quiet_to as ends, s.quiet_days as days into quiet
  from user_settings s where s."user" = owner and s.quiet_from <> '';
  if not found then
    return '{}';
  end if;
  return array(
    with recursive zones(zone) as (
      (select d.quiet_zone from sms_dispatch d
        where d."user" = owner and d.state = 'assigned' and d.quiet_zone is not null order by d.quiet_zone limit 1)
      union all
      select n.quiet_zone from zones z cross join lateral (
        select d.quiet_zone from sms_dispatch d
        where d."user" = owner and d.state = 'assigned' and d.quiet_zone > z.zone order by d.quiet_zone limit 1
      ) n
    )
    select z.zone from zones z where sms_quiet_until(
      quiet.starts, quiet.ends, quiet.days, coalesce(nullif(pb_known_zone(z.zone), ''), sms_time_zone(owner)), now()
    ) is not null
  );
end $$;
