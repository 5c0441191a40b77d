-- Wakes listeners on all servers once the transaction has committed. On a server's connection, raises an INFO
-- message. The server passes this message on after the commit (src/platform/db/listener.ts). NOTIFY would
-- hold a lock of the whole cluster until the commit is on disk, so commits would wait for each other. The
-- connections of commands do use NOTIFY. Without a payload, one announcement per transaction is enough.
create or replace function _announce(channel text, payload text) returns void language plpgsql as $$
declare
  made constant text := coalesce(current_setting('pocketsms.announced', true), '');
begin
  if not starts_with(current_setting('application_name'), 'pocketsms server') then
    perform pg_notify(channel, payload);
    return;
  end if;
  if payload = '' then
    if position(channel || ' ' in made) > 0 then
      return;
    end if;
    perform set_config('pocketsms.announced', made || channel || ' ', true);
  end if;
  raise info '% %', channel, payload using errcode = 'PS001';
end $$;
