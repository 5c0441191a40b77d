-- 0024 owners are told when a device goes silent, and when it is back (src/alarms).

-- Since when devices could reach a server without a break, and when one last looked for those that did not. One row.
create table device_watch (
  is_only boolean primary key default true check (is_only),
  reachable_since timestamptz not null default now(),
  looked_at timestamptz not null default now()
);

-- Devices that are silent (not told yet), told of, back (not told yet), or over: a while without further mails.
create table device_silences (
  device text collate "C" primary key,
  "user" text collate "C" not null,
  state text collate "C" not null check (state in ('silent', 'told', 'back', 'over')),
  -- last_seen of the device, as it stood there: anybody's text, not always an instant that Postgres knows
  silent_since text collate "C" not null,
  changed_at timestamptz not null default now(),
  -- when its owner was last told of a silence
  told_at timestamptz
);

-- Mails to owners: written in the transaction that notes them as told, sent from here, kept for an hour after it.
create table device_alarm_mails (
  id bigint generated always as identity primary key,
  "user" text collate "C" not null,
  -- what it says of each device
  devices json not null,
  -- of its Message-ID: a second copy, after a server died at the wrong moment, has the same
  key uuid not null default gen_random_uuid(),
  created timestamptz not null default now(),
  -- the next try; while one is under way, the time at which it counts as lost
  due_at timestamptz not null default now(),
  tries integer not null default 0,
  sent_at timestamptz
);
create index device_alarm_mails_due on device_alarm_mails (due_at) where sent_at is null;
create index device_alarm_mails_user on device_alarm_mails ("user", id);
