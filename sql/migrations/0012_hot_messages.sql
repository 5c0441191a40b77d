-- A change of a text's status writes no index any more: drops indexes with the status, or with a time that
-- the change sets. Indexes that replace them are built at the end of the start (sql/indexes/always) and by
-- the next run of a retention. Locks sms_messages while the index here is built: a second for half a million
-- messages.

do $$ begin
  if to_regclass('sms_messages') is null then
    return;
  end if;
  drop index if exists sms_messages_by_status;
  drop index if exists sms_messages_inbox;
  drop index if exists sms_messages_redact;
  drop index if exists sms_messages_delete;
  if exists (select from _collections where id = 'sms_messages'
    and data::text like '%`idx_sms_messages_device_status` ON `sms_messages` (`device`, `status`)%') then
    update _collections set data = replace(data::text,
      '`idx_sms_messages_device_status` ON `sms_messages` (`device`, `status`)',
      '`idx_sms_messages_device` ON `sms_messages` (`device`)')::json where id = 'sms_messages';
    drop index if exists idx_sms_messages_device_status;
    create index if not exists idx_sms_messages_device on sms_messages (device);
  end if;
end $$;
