-- 0002 what drives a message from accepted to finished.

-- One row for each message that still has work to do: written with the message, deleted when it is finished, so
-- that it stays small whatever the history. `state` repeats the message's status. The message itself is a record
-- of the collection sms_messages, whose table is made from its schema after the migrations: hence no foreign key.
create table sms_dispatch (
  message text collate "C" primary key,
  "user" text collate "C" not null,
  -- '' while no device is chosen (scheduled for later)
  device text collate "C" not null default '',
  -- the request named this device: never given to another
  pinned boolean not null default false,
  state text collate "C" not null check (state in ('pending', 'assigned', 'sending')),
  -- fencing token: 0 before the first claim, + 1 with each
  attempt integer not null default 0,
  lease_until timestamptz,
  -- next wake-up of the device, and how many it had
  wake_at timestamptz,
  wakes integer not null default 0,
  due_at timestamptz,
  expires_at timestamptz,
  priority smallint not null default 0,
  at_least_once boolean not null default false,
  -- order of acceptance
  position bigint generated always as identity
);
-- the order in which a device claims
create index sms_dispatch_claim on sms_dispatch (device, state, priority desc, position);

-- Round robin: how many messages of a user were given out by turn. Locked with the quota row of a send.
create table sms_turns (
  "user" text collate "C" primary key,
  turn bigint not null default 0
);
