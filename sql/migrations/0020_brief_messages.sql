-- One small row for each text, with the columns that lists ask for most: counts and pages by status read
-- these rows instead of the texts (docs/internals/queries.md). A change of a status writes the index of this
-- table, and no index of sms_messages. Triggers of sms_messages keep the rows; sms_messages_brief.sql in
-- sql/triggers writes those of the texts that are there. A fillfactor of 60 would save 2 % of the WAL. Takes
-- no lock for long.

create table sms_messages_brief (
  "user" text collate "C" not null,
  status text collate "C" not null,
  message_type text collate "C" not null,
  created pb_date,
  _rowid bigint not null,
  primary key ("user", status, created, _rowid) include (message_type)
) with (
  autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02
);

do $$ begin
  if to_regclass('sms_messages') is not null then
    drop trigger if exists sms_messages_reason on sms_messages;
  end if;
  drop index if exists sms_messages_failed_or_waiting;
end $$;
