-- Background work of all kinds but messages and webhook calls (src/work).
create table _jobs (
  id bigint generated always as identity primary key,
  kind text collate "C" not null,
  -- The account whose work it is; '' for the system's.
  holder text collate "C" not null default '',
  -- What the job is about: a kind has one job for each.
  key text collate "C" not null,
  payload json not null default 'null',
  -- The earliest start. During a run: when the run counts as lost.
  due_at timestamptz not null default now(),
  -- Runs so far. The number of the present run is the right to end it.
  runs integer not null default 0,
  -- Runs in a row that failed or were lost, with the present one.
  attempts integer not null default 0,
  -- Why the last run failed.
  error text not null default '',
  -- It failed too often and is not run again.
  dead_at timestamptz,
  created timestamptz not null default now(),
  unique (kind, key)
);
create index _jobs_due on _jobs (kind, due_at) where dead_at is null;
create index _jobs_turns on _jobs (kind, holder, due_at, id) where dead_at is null;

create trigger _jobs_added after insert on _jobs for each row execute function _jobs_added();

drop table auto_answer_queue;
