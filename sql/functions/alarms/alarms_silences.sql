-- Notes devices that are silent now, and queues mails about them and about those that are back. Devices
-- that go silent within 50 s, or return within 110 s (apps spread their reconnects over 90 s), are in one
-- mail.
create or replace function alarms_silences(seen_since text) returns void language plpgsql as $$
begin
  -- silent again: `told` if no mail told of the return, else `silent`, which means a new mail
  update device_silences s
  set state = case s.state when 'back' then 'told' else 'silent' end, changed_at = now(),
    silent_since = case s.state when 'back' then s.silent_since else d.last_seen end
  from devices d where d.id = s.device and s.state in ('back', 'over') and d.last_seen < seen_since
    and alarms_is_silent(d.id, d.last_seen, d.push);
  insert into device_silences (device, "user", state, silent_since)
  select d.id, d."user", 'silent', d.last_seen
  from devices d join users u on u.id = d."user" and u.verified
  where d.enabled and d.last_seen < seen_since and alarms_is_silent(d.id, d.last_seen, d.push)
    and not exists (select from user_settings s where s."user" = u.id and s.disabled)
    and not exists (select from device_silences s where s.device = d.id)
  on conflict do nothing;

  with due as (
    select s.* from device_silences s
    where s.state = 'silent' and (s.told_at is null or s.told_at <= now() - interval '1 hour') or s.state = 'back'
  ), owners as (
    select distinct d."user" from due d
    where d.changed_at <= now() - case d.state when 'silent' then interval '50 seconds' else interval '110 seconds' end
      and not exists (
        select from device_silences m where m."user" = d."user" and m.mailed_at > now() - interval '5 minutes')
  ), news as (
    update device_silences s
    set state = case s.state when 'silent' then 'told' else 'over' end,
      told_at = case s.state when 'silent' then now() else s.told_at end, mailed_at = now()
    from owners o, due, devices d where o."user" = s."user" and due.device = s.device and d.id = s.device
    returning s."user", d.id as device, d.name, d.phone, s.state = 'told' as is_silent, s.silent_since, s.changed_at
  )
  insert into _jobs (kind, holder, key, payload)
  select 'alarm_mail', n."user", gen_random_uuid(), json_agg(json_build_object(
      'name', alarms_name(n.name, n.phone, n.device), 'isSilent', n.is_silent, 'silentSince', n.silent_since,
      'backSince', pb_text(n.changed_at), 'moved', case when n.is_silent then (
        -- messages that went to other devices since it was last seen; after a day it has none left
        select count(distinct e.message) from sms_events e
        where e."user" = n."user" and e.created >= greatest(n.silent_since, pb_text(now() - interval '1 day'))
          and e.status = 'assigned' and e.detail <> '' and e.device <> n.device
          and exists (select from sms_events p
            where p.message = e.message and p.status = 'assigned' and p.device = n.device and p._rowid < e._rowid)
      ) else 0 end, 'waiting', alarms_waiting(n."user", n.device)
    ) order by n.is_silent desc, n.silent_since, n.name, n.device)
  from news n group by n."user";
end $$;
