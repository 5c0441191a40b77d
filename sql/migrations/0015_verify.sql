-- Codes that prove phone numbers. The records are collections. Nothing that exists is locked.

-- The code of each pending verification, deleted when it ends.
create table _verify_codes (
  verification text collate "C" primary key,
  -- Keyed hash, and the code encrypted, to be sent again (src/db/secrets.ts).
  hash text collate "C" not null,
  sealed text collate "C" not null
);

-- When codes were sent to a number within a day. Sends to it lock its row.
create table _verify_numbers (
  service text collate "C" not null,
  "to" text collate "C" not null,
  sent timestamptz[] not null default '{}',
  seen timestamptz not null default now(),
  primary key (service, "to")
);
create index _verify_numbers_seen on _verify_numbers (seen);
