-- Codes that prove phone numbers. Services and verifications are collections. Locks no existing table.

-- The code of each pending verification, deleted when it ends.
create table _verify_codes (
  verification text collate "C" primary key,
  -- The keyed hash of the code, and the encrypted code for another send (src/db/secrets.ts).
  hash text collate "C" not null,
  sealed text collate "C" not null
);

-- The times at which codes were sent to a number within a day. A send to the number locks its row.
create table _verify_numbers (
  service text collate "C" not null,
  "to" text collate "C" not null,
  sent timestamptz[] not null default '{}',
  seen timestamptz not null default now(),
  primary key (service, "to")
);
create index _verify_numbers_seen on _verify_numbers (seen);
