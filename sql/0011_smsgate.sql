-- 0011 phones with the SMSGate app: what we keep of one beside its record in devices.
create table smsgate_phones (
  device text collate "C" primary key,
  "user" text collate "C" not null,
  -- the secret end of the URL to which it posts what it receives, and the key with which it signs that
  path text collate "C" not null unique,
  signing_key text collate "C" not null,
  -- how far its clock is ahead of ours; null while we do not know
  clock_ms double precision,
  -- how many messages it is handed at once, as it was at `narrowed_at`; it grows again by itself
  room integer not null,
  narrowed_at timestamptz,
  -- it was away from then on, and its inbox has not been asked for yet
  missed_since timestamptz
);
