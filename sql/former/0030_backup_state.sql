-- 0030 what this installation knows of its backups (src/backup/service/state.ts). One row, which no backup
-- contains and no restore replaces. The json columns hold what state.ts describes.
create table backup_state (
  is_only boolean primary key default true check (is_only),
  -- an installation that is younger than a week is not warned about missing backups
  since timestamptz not null default now(),
  -- the backup or restore that runs now, and until when its node holds the lease
  running json,
  lease uuid,
  lease_until timestamptz,
  last_backup json,
  last_restore json,
  -- the last backup or restore that failed; null once one has succeeded after it
  last_failure json,
  -- the cron expression that was seen last, and up to which time it has been served
  schedule text collate "C" not null default '',
  scheduled_until timestamptz not null default now(),
  -- counted up by each restore: a node that remembers another number starts again
  restores bigint not null default 0
);
insert into backup_state default values;
