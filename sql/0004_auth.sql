-- 0004 what sign-in counts, on all nodes together.

-- How often something was tried in a window of time that ends at `ends`: codes typed for a record from an address,
-- mails asked for. A row whose window is over counts for nothing and may go.
create table auth_tries (
  key text collate "C" primary key,
  tries integer not null,
  ends timestamptz not null
);
create index auth_tries_ends on auth_tries (ends);
