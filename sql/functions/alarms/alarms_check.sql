-- Queues mails about devices that fail, are low on battery, went silent or are back: one mail per account
-- and kind of news. `silent_seconds`: how long a device may be silent. All servers call this about once a
-- minute; a call within 50 s of the last one does nothing. A device that is seen again after a mail gets a
-- second mail; mails to an account are 5 minutes apart, and an hour if they are about silences of the same
-- device.
create or replace function alarms_check(silent_seconds float8) returns void language plpgsql as $$
declare
  -- as text, which an index compares with `last_seen`
  seen_since constant text := pb_text(now() - silent_seconds * interval '1 second');
  -- false after the server was down, or the machine asleep, for longer than a restart takes: 150 s
  silence_counts boolean;
begin
  insert into device_watch default values
  on conflict (is_only) do update set looked_at = now(), reachable_since = case
    when device_watch.looked_at < now() - interval '150 seconds' then now() else device_watch.reachable_since end
  where device_watch.looked_at < now() - interval '50 seconds'
  returning reachable_since < now() - silent_seconds * interval '1 second' into silence_counts;
  if not found then
    return;
  end if;

  -- at most one mail a day about a failing line (SIM)
  with news as (
    update line_use w set failing_told_at = now()
    from lines l join devices d on d.id = l.device join users u on u.id = l."user" and u.verified
    where l.id = w.line and l.failing_since <> '' and l.enabled and l.present and d.enabled
      and not exists (select from user_settings s where s."user" = u.id and s.disabled)
      and (w.failing_told_at is null or w.failing_told_at < now() - interval '1 day')
    returning l."user", d.id as device, d.name, d.phone, l.failing_since
  )
  insert into _jobs (kind, holder, key, payload)
  select 'alarm_mail', n."user", gen_random_uuid(), json_agg(json_build_object(
      'name', alarms_name(n.name, n.phone, n.device), 'failingSince', n.failing_since,
      'waiting', alarms_waiting(n."user", n.device)) order by n.failing_since, n.device)
  from news n group by n."user";

  -- one mail about a low battery until it has recovered, an hour later at least, against wrong readings
  update device_batteries set low_told_at = null
  where low_told_at < now() - interval '1 hour' and percent >= 20;
  with news as (
    update device_batteries b set low_told_at = now()
    from devices d join users u on u.id = d."user" and u.verified
    where d.id = b.device and b.percent < 15 and b.charging is not true and b.at > now() - interval '1 hour'
      and b.low_told_at is null and d.enabled
      and not exists (select from user_settings s where s."user" = u.id and s.disabled)
    returning d."user", d.id as device, d.name, d.phone, b.percent
  )
  insert into _jobs (kind, holder, key, payload)
  select 'alarm_mail', n."user", gen_random_uuid(), json_agg(json_build_object(
      'name', alarms_name(n.name, n.phone, n.device), 'battery', n.percent,
      'waiting', alarms_waiting(n."user", n.device)) order by n.percent, n.device)
  from news n group by n."user";

  -- forget silences of devices that were deleted, disabled or given away, and of disabled users
  delete from device_silences s where not exists (
    select from devices d where d.id = s.device and d."user" = s."user" and d.enabled
      and not exists (select from user_settings o where o."user" = d."user" and o.disabled));
  update device_silences s set state = case s.state when 'told' then 'back' else 'over' end, changed_at = now()
  from devices d where d.id = s.device and s.state in ('silent', 'told') and d.last_seen >= seen_since;
  delete from device_silences where state = 'over' and (told_at is null or told_at <= now() - interval '1 hour');
  if silence_counts then
    perform alarms_silences(seen_since);
  end if;
end $$;
