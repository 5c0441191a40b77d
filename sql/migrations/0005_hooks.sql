-- Texts from webhooks: what hooks sent lately. Hooks themselves are a collection. Locks no existing table.

-- Events that a hook sent, by the SHA-256 of the event's key. Before `until`, the hook does not send them
-- again.
create table hook_once (
  hook text collate "C" not null,
  key text collate "C" not null,
  until timestamptz not null,
  primary key (hook, key)
);
create index hook_once_until on hook_once (until);

-- What each hook sent in its present hour.
create table hook_windows (
  hook text collate "C" primary key,
  began timestamptz not null,
  -- Segments that were sent to each recipient.
  sent integer not null,
  -- Number of calls held back, and the ids of scheduled messages that report this number.
  held integer not null default 0,
  summary text[] collate "C" not null default '{}'
);
