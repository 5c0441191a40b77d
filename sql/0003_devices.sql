-- 0003 what devices need: pairing, limits, presence; what the sweeper looks for.

-- Pairing codes that wait for their device, as SHA-256. One use: pairing deletes the row.
create table device_pairings (
  code_hash text collate "C" primary key,
  "user" text collate "C" not null,
  name text collate "C" not null default '',
  expires_at timestamptz not null
);

-- How many messages a device was handed by each claim of the last 24 hours: its limits are sums over this.
create table device_handouts (
  device text collate "C" not null,
  at timestamptz not null,
  messages integer not null
);
create index device_handouts_device on device_handouts (device, at);

-- Devices whose event stream is open on some node: no Web Push for them. A node that dies lets `until` pass.
create table device_streams (
  device text collate "C" primary key,
  until timestamptz not null
);

-- What the sweeper looks for, without reading the queue.
create index sms_dispatch_lease on sms_dispatch (lease_until) where state = 'sending';
create index sms_dispatch_wake on sms_dispatch (wake_at) where state = 'assigned';
create index sms_dispatch_due on sms_dispatch (due_at) where state = 'pending';
create index sms_dispatch_expiry on sms_dispatch (expires_at) where state <> 'sending' and expires_at is not null;

-- An instant in the form of pb_date. Stable, not immutable, only because to_char is.
create function pb_text(at timestamptz) returns text language sql stable strict parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')
$$;

-- Whether a json column holds anything.
create function pb_is_set(value json) returns boolean language sql immutable parallel safe as $$
  select value is not null and json_typeof(value) <> 'null' and value::text <> '""'
$$;

-- A record id for rows that a statement makes by itself: 15 of [a-z0-9], some 70 random bits of two uuids. One
-- expression, so that Postgres puts it into the statement: as a query of its own it cost 4 ms a statement.
create function pb_new_id() returns text language sql volatile as $$
  select substr(lower(translate(
    encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/=', '')), 1, 15)
$$;
