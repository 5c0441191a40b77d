-- 0021 requests are looked up: what failed, when, and for whom. PocketBase: core/log_model.go
-- Written in bunches by each server (src/logs), forgotten after logs.maxDays of the settings.
-- Its columns are those of a collection, so that it is listed and filtered like one.
create table _logs (
  _rowid bigint generated always as identity,
  id text collate "C" primary key default pb_new_id(),
  created pb_date not null,
  level double precision not null,
  message text collate "C" not null default '',
  data json not null default '{}'
);
create unique index _logs_rowid on _logs (_rowid);
create index _logs_created on _logs (created);
