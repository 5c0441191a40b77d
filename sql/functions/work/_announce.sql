-- Wakes listeners of all servers once the transaction has committed. A connection of a server gets the
-- announcement beside the statement's answer, and the server passes it on after the commit
-- (src/db/listener.ts). NOTIFY would hold a lock of the whole cluster until the commit is on
-- the disk, so all commits would wait in one line. Other connections notify: those of commands, and of
-- servers of the release before. An announcement without a payload is made once a transaction.
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
