-- 0028 phones with the SMSGate app: what each was handed, so that the server need not rely on what it
-- remembers or was able to say. Texts that were deleted here are still listed, as canceled, until their phone
-- has heard of it.
create table smsgate_texts (
  device text collate "C" not null,
  "user" text collate "C" not null,
  message text collate "C" not null,
  attempt integer not null,
  -- when an answer last had it
  listed_at timestamptz not null,
  -- the phone has said something of it since: no answer with it was lost
  is_known boolean not null default false,
  -- the phone has handed it to Android
  is_processed boolean not null default false,
  -- when an answer last had it as canceled
  canceled_at timestamptz,
  -- the phone does not send it after this instant
  valid_until timestamptz not null,
  primary key (device, message, attempt)
);

alter table smsgate_phones
  -- when it was last told to pull, and when it last pulled
  add column woken_at timestamptz,
  add column pulled_at timestamptz,
  -- when it was last handed new texts, and how many it had to send then
  add column handed_at timestamptz,
  add column handed integer not null default 0;
