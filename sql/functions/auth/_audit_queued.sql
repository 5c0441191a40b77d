-- Trigger of _audit and account_audit: queues a new entry, which gets its number within a minute.
create or replace function _audit_queued() returns trigger language plpgsql as $$
begin
  if tg_table_name = '_audit' then
    insert into _audit_queue (account, entry) values ('', new.id);
  else
    insert into _audit_queue (account, entry) values (new."user", new.id);
  end if;
  return null;
end $$;
