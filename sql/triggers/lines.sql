-- Triggers of devices and lines.
do $$
begin
  if to_regclass('lines') is null or to_regclass('devices') is null then
    return;
  end if;
  if not exists (select from pg_trigger where tgrelid = 'devices'::regclass and tgname = 'lines_kept') then
    create trigger lines_kept after insert or delete or update of "user", phone, sims on devices
      for each row execute function sms_device_lines();
    create trigger room_returned after update of enabled, last_seen, per_minute, daily_limit on devices
      for each row execute function sms_device_room();
  end if;
  if not exists (select from pg_trigger where tgrelid = 'lines'::regclass and tgname = 'room_changed') then
    create trigger room_changed after insert or update or delete on lines
      for each row execute function sms_line_room();
  end if;
end $$;
