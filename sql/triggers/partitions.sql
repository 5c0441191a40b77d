-- Triggers of sms_messages that only a table with partitions needs.
do $$
begin
  if (select relkind from pg_class where oid = to_regclass('sms_messages')) is distinct from 'p'
    or exists (select from pg_trigger where tgrelid = to_regclass('sms_messages') and tgname = 'unique_over_all')
  then
    return;
  end if;
  create trigger unique_over_all after insert on sms_messages referencing new table as added
    for each statement when (current_setting('pocketsms.counted', true) is distinct from 'yes')
    execute function sms_messages_unique();
  create trigger unique_still after update of client_ref, "user" on sms_messages
    for each row when (new.client_ref <> '' and (old."user", old.client_ref) is distinct from (new."user", new.client_ref))
    execute function sms_messages_still_unique();
end $$;
