-- Codes that prove phone numbers. Services and verifications are collections. Locks no existing table.

-- The code of each pending verification, deleted when it ends.
create table _verify_codes (
  verification text collate "C" primary key,
  -- The keyed hash of the code, and the encrypted code for another send (src/db/secrets.ts).
  hash text collate "C" not null,
  sealed text collate "C" not null
);
