-- Trigger of devices: keeps the lines (SIMs) of a device, and deletes those of a deleted device.
create or replace function sms_device_lines() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from lines l where l.device = old.id;
  elsif tg_op = 'INSERT' then
    perform sms_lines_keep(new.id, new."user", new.phone, new.sims, true);
  elsif (old."user", old.phone, old.sims::text) is distinct from (new."user", new.phone, new.sims::text) then
    perform sms_lines_keep(new.id, new."user", new.phone, new.sims,
      new.created::text > pb_text(now() - interval '10 minutes'));
  end if;
  return null;
end $$;
