-- Texts from webhooks: what hooks sent lately. The records are collections. Nothing that exists is locked.

-- Events that a hook sent, by the SHA-256 of their key: it sends them again only after `until`.
create table hook_once (
  hook text collate "C" not null,
  key text collate "C" not null,
  until timestamptz not null,
  primary key (hook, key)
);
create index hook_once_until on hook_once (until);

-- The last hour of each hook.
create table hook_windows (
  hook text collate "C" primary key,
  began timestamptz not null,
  -- Short messages that were sent to each recipient.
  sent integer not null,
  -- Calls that were held back, and the scheduled messages that say how many.
  held integer not null default 0,
  summary text[] collate "C" not null default '{}'
);
