-- The tables of the gateway itself: everything that is not a collection. Tables of collections are made from
-- the descriptions of the collections (src/engine/collections/table.ts); sql/indexes and sql/triggers have
-- the indexes and triggers that we add to those.
--
-- `collate "C"` everywhere: PocketBase compares text by its bytes, whatever the collation of the database.

-- A date as PocketBase stores it: `2026-11-20 07:00:00.000Z`, '' when unset. It sorts as text.
create domain pb_date as text collate "C" default '' not null;

-- Operators and aggregates that SQLite has and Postgres does not. Queries of view collections use them.

create operator = (leftarg = boolean, rightarg = int, function = pb_equal, negator = <>);
create operator <> (leftarg = boolean, rightarg = int, function = pb_differ, negator = =);
create operator % (leftarg = double precision, rightarg = double precision, function = pb_modulo);
-- `->` and `->>` of SQLite, which take a path. Postgres has operators of these names that do not.
create operator @-> (leftarg = json, rightarg = text, function = pb_arrow);
create operator @-> (leftarg = json, rightarg = int, function = pb_arrow);
create operator @-> (leftarg = text[], rightarg = int, function = pb_arrow);
create operator @-> (leftarg = text[], rightarg = text, function = pb_arrow);
create operator @->> (leftarg = json, rightarg = text, function = pb_arrow_text);
create operator @->> (leftarg = json, rightarg = int, function = pb_arrow_text);
create operator @->> (leftarg = text[], rightarg = int, function = pb_arrow_text);
create operator @->> (leftarg = text[], rightarg = text, function = pb_arrow_text);
-- A sum that is 0 instead of null for no rows.
create aggregate total(double precision) (sfunc = float8pl, stype = double precision, initcond = '0');
create aggregate total(boolean) (sfunc = pb_total_true, stype = double precision, initcond = '0');
create aggregate sum(boolean) (sfunc = pb_count_true, stype = bigint);

-- The schema

-- One row: the number of the oldest migration that a server must have. A migration that servers of the
-- release before cannot work with sets its own number; they then stop (docs/internals/collections.md).
create table _schema (oldest integer not null);
insert into _schema values (1);

-- Collections and settings

-- One row per collection. `data` is its JSON as PocketBase exports it, including its secrets.
create table _collections (
  id text collate "C" primary key,
  name text collate "C" not null,
  data json not null,
  position bigint generated always as identity
);
create unique index _collections_name on _collections (lower(name));

-- The columns by which the list of collections is filtered and sorted.
create view _collections_listed as
select
  id,
  name,
  (data ->> 'type') collate "C" as type,
  (data ->> 'created') collate "C" as created,
  (data ->> 'updated') collate "C" as updated,
  (data ->> 'system')::boolean as system,
  position as _rowid
from _collections;

-- Settings and keys of the server.
create table _params (
  key text collate "C" primary key,
  value json not null
);

-- Realtime

-- Changed records, one row each, written in the transaction of the change. Written only while `_listeners`
-- has a row. Unlogged, as `_listeners` is: after a crash both are empty, and the nodes begin anew.
create unlogged table _changes (
  -- The changes of one record are in this order: a second writer waits for the first.
  position bigint generated always as identity primary key,
  -- The writing transaction. A reader finds late commits by it.
  xid xid8 not null default pg_current_xact_id(),
  -- Id of the collection.
  collection text collate "C" not null,
  action text collate "C" not null check (action in ('create', 'update', 'delete')),
  record text collate "C" not null,
  -- The row after the change, or the deleted row.
  image json
);
-- A promoted standby cannot read an unlogged sequence: bad magic number (15.18).
alter sequence _changes_position_seq set logged;
create index _changes_xid on _changes (xid, collection, record, position);
create trigger note before insert on _changes
  for each row when (new.image is null or pg_trigger_depth() = 0) execute function _changes_note();
create trigger announce after insert on _changes referencing new table as added
  for each statement execute function _changes_announce();

-- Nodes with at least one subscriber.
create unlogged table _listeners (
  node text collate "C" primary key,
  seen timestamptz not null default now(),
  -- Collections to which no client of the node is subscribed: their changes are not logged for it.
  ignored text[] collate "C" not null default '{}'
);

-- Subscription requests that reached another node than the one with the client's connection, and their
-- answers.
create table _subscribing (
  id text collate "C" primary key,
  node text collate "C" not null,
  request json not null,
  answer json,
  at timestamptz not null default now()
);

-- Files

-- Contents of files. Files of an account with equal contents share one. Deleted with the last of its files:
-- sql/functions/files/_file_contents_drop.sql
create table _file_contents (
  id bigint generated always as identity primary key,
  -- The account whose storage limit the content uses; '' for none, whose files share nothing.
  account text collate "C" not null default '',
  -- Null if no later file may share it, as of a file that grows.
  sha256 bytea,
  size bigint not null
);
create unique index _file_contents_account on _file_contents (account, sha256) include (size) where account <> '';

-- One row per file of a record, and one per thumbnail. Deleting a file deletes its thumbnails.
create table _files (
  id bigint generated always as identity primary key,
  -- Id of the collection.
  collection text collate "C" not null,
  record text collate "C" not null,
  -- As in the record's file field.
  name text collate "C" not null,
  -- Size of a thumbnail as requested, '' for the file itself.
  thumb text collate "C" not null default '',
  original bigint references _files on delete cascade,
  content bigint not null references _file_contents,
  -- That of its content.
  size bigint not null,
  -- MIME type detected from the content.
  type text collate "C" not null,
  modified timestamptz not null default now(),
  unique (collection, record, name, thumb)
);
create index _files_original on _files (original) where original is not null;
create index _files_content on _files (content);

-- Contents in parts of equal size, except the last. A range is read without the rest of the file.
create table _file_chunks (
  content bigint not null references _file_contents on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (content, part)
);
-- Most files are compressed already. Compressing them again costs time and saves nothing.
alter table _file_chunks alter column bytes set storage external;

-- Sign-in, audit log, request log

-- Rate limits of sign-in, shared by all nodes: how many tries a key has used in the window that ends at
-- `ends`. Expired rows count for nothing.
create table auth_tries (
  key text collate "C" primary key,
  tries integer not null,
  ends timestamptz not null
);
create index auth_tries_ends on auth_tries (ends);

-- Sign-ins, so that an account sees where it is signed in. Rows go with the record, with its token key, and
-- when their last token has expired.
create table auth_sessions (
  id text collate "C" primary key,
  -- Id of the auth collection, and of the record in it.
  collection text collate "C" not null,
  record text collate "C" not null,
  -- SHA-256 of the latest token.
  token_hash text collate "C" not null,
  created timestamptz not null default now(),
  -- When it was last used, to some minutes.
  used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- How its person proved to be the record: Method in src/engine/auth/check-mfa.ts.
  method text collate "C" not null default '',
  ip text collate "C" not null,
  user_agent text collate "C" not null,
  -- When its account ended it: its tokens are refused. Such a row is kept until the last of them has expired.
  ended_at timestamptz
);
create index auth_sessions_record on auth_sessions (collection, record, created);
create index auth_sessions_expires_at on auth_sessions (expires_at);
create index auth_sessions_ended on auth_sessions (collection, record) where ended_at is not null;
-- An ended session ends the tokens with which its user acts for accounts.
create trigger acting_ended_by_session after update of ended_at on auth_sessions
  for each row when (old.ended_at is null and new.ended_at is not null and new.collection = '_pb_users_auth_')
  execute function acting_ended();

-- Second factors: the authenticator app of an auth record, and its recovery codes.
create table auth_factors (
  -- Id of the auth collection, and of the record in it.
  collection text collate "C" not null,
  record text collate "C" not null,
  -- The secret that the app has, encrypted; '' without an app.
  sealed text collate "C" not null default '',
  -- The secret of an app that is being set up.
  pending text collate "C" not null default '',
  -- Since when the record has a second factor. Null: the first one is being set up, and nothing asks for it.
  confirmed_at timestamptz,
  -- The time step of the last code. Codes of this step and of earlier ones are refused.
  last_step bigint not null default 0,
  -- Keyed hashes of the recovery codes that were not used.
  recovery text[] collate "C" not null default '{}',
  primary key (collection, record)
);
create trigger factor_changed after insert or delete or update of confirmed_at on auth_factors
  for each row execute function factor_changed();

-- Passkeys of auth records (WebAuthn).
create table auth_passkeys (
  id text collate "C" primary key,
  -- Id of the auth collection, and of the record in it.
  collection text collate "C" not null,
  record text collate "C" not null,
  -- The id that the authenticator gave it, in base64url.
  credential text collate "C" not null unique,
  -- In COSE's format.
  public_key bytea not null,
  -- Signatures so far, as the authenticator counts them; 0 for one that does not count.
  counter bigint not null,
  transports text[] collate "C" not null,
  name text collate "C" not null,
  -- Where it is valid: the host of PUBLIC_URL when it was made.
  host text collate "C" not null,
  created timestamptz not null default now(),
  -- When it last signed in.
  used_at timestamptz
);
create index auth_passkeys_record on auth_passkeys (collection, record);

-- Challenges that passkeys sign, each once.
create table auth_challenges (
  -- SHA-256 of the challenge in base64url.
  hash text collate "C" primary key,
  -- What it is for, see src/engine/auth/passkey-challenges.ts.
  purpose text collate "C" not null,
  -- For whom; '' for a sign-in by a passkey alone.
  collection text collate "C" not null,
  record text collate "C" not null,
  ends timestamptz not null
);
create index auth_challenges_ends on auth_challenges (ends);

-- Which tokens belong to which session: tokens are PocketBase's and name none. Rows go some time after their
-- token has expired.
create table auth_session_tokens (
  -- SHA-256
  token_hash text collate "C" primary key,
  -- Its session, which may be gone.
  session text collate "C" not null,
  expires_at timestamptz not null,
  -- The account for which the session's person acts with this token; '' for the person's own token.
  account text collate "C" not null default ''
);
create index auth_session_tokens_expires_at on auth_session_tokens (expires_at);
create index auth_session_tokens_account on auth_session_tokens (account) where account <> '';

-- The audit log of superusers, written in the transaction of what it records. It holds names of fields, never
-- values. It has the columns of a collection, so that it is listed and filtered like one.
create table _audit (
  _rowid bigint generated always as identity,
  id text collate "C" primary key default pb_new_id(),
  created pb_date not null default pb_text(clock_timestamp()),
  -- Id and email at that time; both '' after a failed sign-in.
  superuser text collate "C" not null default '',
  email text collate "C" not null default '',
  ip text collate "C" not null default '',
  action text collate "C" not null,
  -- Name of the collection and id of the record; '' where there is none.
  collection text collate "C" not null default '',
  record text collate "C" not null default '',
  fields json not null default '[]'
) with (autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02);
create unique index _audit_rowid on _audit (_rowid);
create index _audit_created on _audit (created);

-- Entries of the audit logs that have no seal yet, in the order of their inserts: written by triggers, in the
-- transaction of the entry, so that an entry that is committed late is not left out.
create table _audit_unsealed (
  number bigint generated always as identity primary key,
  -- '': the log of superusers.
  account text collate "C" not null,
  entry text collate "C" not null
);
create trigger _audit_queued after insert on _audit for each row execute function _audit_queued();

-- The seals of the audit logs (src/engine/auth/audit). The entries of an account are one chain, those of
-- superusers another, with the account ''. A seal is a keyed hash of its row and of the seal before it.
create table _audit_seals (
  account text collate "C" not null,
  number bigint not null,
  entry text collate "C" not null,
  -- The entry's `created`; '' if the entry was deleted before it had a seal.
  created pb_date not null,
  -- When all entries had a seal, before this one was made; '': never yet.
  settled pb_date not null,
  -- A hash of the entry; '' if it was deleted before it had a seal.
  digest text collate "C" not null,
  seal text collate "C" not null,
  primary key (account, number)
);
create index _audit_seals_entry on _audit_seals (entry);

-- The ends of each chain, signed: retention deletes seals at the first end.
create table _audit_chains (
  account text collate "C" primary key,
  -- The last seal that retention deleted: 0 and '' before.
  first_number bigint not null,
  first_seal text collate "C" not null,
  last_number bigint not null,
  last_seal text collate "C" not null,
  -- In the row of superusers: how many chains there are, and when all entries had a seal.
  chains int not null,
  settled pb_date not null,
  signature text collate "C" not null
);

-- The request log. Servers write it in batches (src/engine/logs); rows older than the setting logs.maxDays
-- are deleted. It has the columns of a collection, so that it is listed and filtered like one. PocketBase:
-- core/log_model.go
create table _logs (
  _rowid bigint generated always as identity,
  id text collate "C" primary key default pb_new_id(),
  created pb_date not null,
  level double precision not null,
  message text collate "C" not null default '',
  data json not null default '{}'
) with (autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02);
create unique index _logs_rowid on _logs (_rowid);
create index _logs_created on _logs (created);

-- Background work

-- Background work of all kinds but messages and webhook calls (src/platform/jobs).
create table _jobs (
  id bigint generated always as identity primary key,
  kind text collate "C" not null,
  -- The account whose work it is; '' for the system's.
  holder text collate "C" not null default '',
  -- What the job is about: a kind has one job for each.
  key text collate "C" not null,
  payload json not null default 'null',
  -- The earliest start. During a run: when the run counts as lost.
  due_at timestamptz not null default now(),
  -- Runs so far. The number of the present run is the right to end it.
  runs integer not null default 0,
  -- Runs in a row that failed or were lost, with the present one.
  attempts integer not null default 0,
  -- Why the last run failed.
  error text not null default '',
  -- It failed too often and is not run again.
  dead_at timestamptz,
  created timestamptz not null default now(),
  unique (kind, key)
);
create index _jobs_due on _jobs (kind, due_at) where dead_at is null;
create index _jobs_turns on _jobs (kind, holder, due_at, id) where dead_at is null;

create trigger _jobs_added after insert on _jobs for each row execute function _jobs_added();

-- Messages

-- The queue: one row per message that is not finished. Written with the message and deleted when the message
-- is finished, so the table stays small. `state` repeats the message's status.
create table sms_dispatch (
  message text collate "C" primary key,
  "user" text collate "C" not null,
  -- '' until a device is chosen, for messages scheduled for later.
  device text collate "C" not null default '',
  -- The request named the device. Such a message never moves to another device.
  pinned boolean not null default false,
  state text collate "C" not null check (state in ('pending', 'assigned', 'sending')),
  -- The month whose quota the message uses, as in sms_usage.
  period text collate "C" not null,
  -- Fencing token: 0 before the first claim, increased by each claim.
  attempt integer not null default 0,
  lease_until timestamptz,
  -- When the device is woken next, and how often it has been woken.
  wake_at timestamptz,
  wakes integer not null default 0,
  due_at timestamptz,
  expires_at timestamptz,
  priority smallint not null default 0,
  at_least_once boolean not null default false,
  -- Order of acceptance.
  position bigint generated always as identity,
  -- Readiness and metrics report the age of the oldest row.
  queued_at timestamptz not null default now(),
  -- The line of the message, '' until one is chosen.
  line text collate "C" not null default '',
  -- The request named the line. Such a message never moves to another line.
  line_pinned boolean not null default false,
  -- The local day (YYYY-MM-DD) whose room on a limited line the message uses; '' if the line has no limits,
  -- '-' if the line was disabled: the sweep gives the message to another one.
  charged text collate "C" not null default '',
  -- What the message costs by its line, counted in line_costs; null if the line has no prices.
  cost numeric,
  -- The time zone in whose quiet hours the message waits, '' for that of the account; null: it never does.
  quiet_zone text collate "C",
  -- Why a message that is due is still `pending`, as in sms_messages.waiting_for; '' if it is only scheduled.
  waiting_for text collate "C" not null default '',
  -- The encrypted text that the device sends instead of the message's body (src/platform/db/secrets.ts); null
  -- for the body.
  sealed text collate "C",
  -- The lines that the API key was limited to when it sent the message; null for all.
  lines text[] collate "C",
  -- By what the send requires consent, and which groups its recipient may have left: sms_request.scope.
  scope json,
  -- Why a claim did not hand the message out: the next sweep ends it. '' for any other message.
  refused text collate "C" not null default '',
  -- The batch_id of the message; its own id if it was sent alone.
  send text collate "C" not null default ''
);
-- The order in which a device claims.
create index sms_dispatch_claim on sms_dispatch (device, state, priority desc, position);
-- What the sweeper looks for.
create index sms_dispatch_lease on sms_dispatch (lease_until) where state = 'sending';
create index sms_dispatch_refused on sms_dispatch (message) where refused <> '';
create index sms_dispatch_wake on sms_dispatch (wake_at) where state = 'assigned';
create index sms_dispatch_due on sms_dispatch (due_at) where state = 'pending';
-- Scheduled messages of a user by their sends, whose messages stand beside each other.
create index sms_dispatch_scheduled on sms_dispatch ("user", due_at, send, message)
  where state = 'pending' and waiting_for = '';
create index sms_dispatch_expiry on sms_dispatch (expires_at) where state <> 'sending' and expires_at is not null;
-- Messages that wait for room, in the order in which they get it.
create index sms_dispatch_waiting on sms_dispatch ("user", priority desc, position)
  where state = 'pending' and waiting_for <> '';
-- Messages that are charged to a day, the earliest of each user first.
create index sms_dispatch_charged on sms_dispatch ("user", charged) where state = 'assigned' and charged <> '';
-- Messages that have lines and keep quiet hours: the sweep and claims step through their time zones.
create index sms_dispatch_quiet on sms_dispatch ("user", quiet_zone, message)
  where state = 'assigned' and quiet_zone is not null;
-- A message that leaves the queue, or goes back to `pending`, before a device had it gives its room back.
create trigger line_freed after delete on sms_dispatch
  for each row when (old.charged <> '' and old.state <> 'sending') execute function sms_line_freed();
create trigger line_returned after update of state on sms_dispatch
  for each row when (new.state = 'pending' and old.state <> 'pending' and old.charged <> '')
  execute function sms_line_freed();

-- One small row for each text, with the columns that lists ask for most: counts and pages by status read
-- these rows instead of the texts (docs/internals/queries.md). A change of a status writes the index of this
-- table, and no index of sms_messages. Triggers of sms_messages keep the rows. A fillfactor of 60 would save
-- 2 % of the WAL.
create table sms_messages_brief (
  _rowid bigint not null,
  "user" text collate "C" not null,
  message_type text collate "C" not null,
  created pb_date,
  -- Last, because the log of an update begins with the first column that it changes.
  status text collate "C" not null,
  primary key ("user", status, created, _rowid) include (message_type)
) with (
  autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_threshold = 250, autovacuum_analyze_scale_factor = 0.02
);

-- One row per user. Accepting messages of a user locks it first.
create table sms_turns (
  "user" text collate "C" primary key,
  -- Round robin: how many messages were given to devices in turn.
  turn bigint not null default 0,
  -- How many messages sms_accept has stored. A user's total is this plus the rows of sms_totals.
  messages bigint not null default 0
);
create trigger went after delete on sms_turns for each row when (old.messages <> 0) execute function sms_turns_went();

-- How many messages each user has gained and lost other than by sms_accept. Counting the messages instead
-- takes 6.8 ms of CPU for a user with 102,000; reading the total takes 0.02 ms. Several rows of one user add
-- up, see sms_count. The row of user '' marks the table with this oid as counted; a table that was made anew
-- is not.
create table sms_totals (
  id bigint generated always as identity primary key,
  relation oid not null,
  "user" text collate "C" not null,
  messages bigint not null
) with (fillfactor = 50);
create index sms_totals_of on sms_totals (relation, "user");

-- The first answer to each request with an Idempotency-Key. Rows older than a day do not count; a job deletes
-- them.
create table sms_idempotency (
  "user" text collate "C" not null,
  key text collate "C" not null,
  -- Hash of the whole request. The same key with another request is an error.
  fingerprint text collate "C" not null,
  answer text not null,
  created timestamptz not null default now(),
  primary key ("user", key)
);
create index sms_idempotency_age on sms_idempotency (created);

-- A send as sms_accept takes it: a request that passed its checks. Null is unset.
create type sms_request_message as (
  id text,
  "to" text,
  -- Null: the text of the request.
  body text,
  segments float8,
  -- The time zone in whose quiet hours it waits, '' for that of the account; null: it does not.
  zone text
);
create type sms_request as (
  -- The credentials as they were read: `xmin` of the user's row, and of the API key's if one was used.
  version text,
  key text,
  key_version text,
  -- The device and the line that the request named, the line by its id or its number.
  device text,
  line text,
  "from" text,
  -- Scheduled for later: no device is chosen yet.
  later boolean,
  -- For how many seconds its sender may take it back: meanwhile no device gets it. 0: not at all.
  undo_seconds int,
  batch text,
  body text,
  priority int,
  sim int,
  scheduled_at text,
  expires_at text,
  guarantee text,
  ref text,
  -- No conversation changes.
  bulk boolean,
  -- A row of sms_idempotency.
  idempotency_key text,
  fingerprint text,
  answer text,
  -- {ref, api, id, data}, a row of sms_origins.
  origin json,
  messages sms_request_message[],
  -- The sender, as in sms_messages.sent_by.
  sent_by text,
  -- The encrypted text, as in sms_dispatch.sealed.
  sealed text,
  -- The lines by which the API key of the request may send; null for all. sms_judge sets it.
  lines text[],
  -- The template and the contact groups that the request names: they may require consent.
  template text,
  groups text[],
  -- The request itself requires consent.
  requires_consent boolean,
  -- The answer to a text that asks for help: it goes also to a person who has opted out.
  is_help boolean,
  -- JSON of {template, groups, isRequired, isHelp}, null without any of them: as in sms_dispatch.scope, and
  -- without isHelp in sms_origins. `isRequired`: the request, its template or a group required consent when
  -- it was accepted. sms_judge sets it.
  scope text,
  -- Why messages of the request fail, as sms_refusals says; null if none does. sms_judge sets it.
  refusals text[],
  -- Of an MMS, whose messages have 0 segments: its subject, and the names of the files of each message.
  subject text,
  attachments text[]
);
-- A message that sms_accept stores: columns of sms_messages and sms_dispatch.
create type sms_new_message as (
  "user" text,
  id text,
  status text,
  "to" text,
  "from" text,
  body text,
  segments float8,
  device text,
  line text,
  pinned boolean,
  line_pinned boolean,
  charged text,
  waiting_for text,
  zone text,
  due_at timestamptz,
  batch text,
  priority int,
  sim int,
  scheduled_at text,
  expires_at text,
  guarantee text,
  ref text,
  -- Whether the message becomes the last text of the conversation with its recipient.
  is_answer boolean,
  sealed text,
  lines text[],
  -- The id of a record of `senders`.
  sent_by text,
  -- Why a failed message is not sent: its error_message.
  fault text,
  -- As in sms_dispatch.
  cost numeric,
  scope text,
  subject text,
  attachments text[]
);

-- Sends that came by another API than ours. Written in the transaction that accepts the send, so that a
-- second send with the same id is refused on any number of nodes.
create table sms_origins (
  -- The message of a send to one recipient, the batch_id of a send to several.
  ref text collate "C" primary key,
  "user" text collate "C" not null,
  is_batch boolean not null,
  -- `created` of its messages.
  created pb_date not null,
  -- The API: `smsgate`, `twilio`, `kannel` (a part of a long text, see protocols/kannel-parts).
  api text collate "C" not null,
  -- The id that clients of that API know the send by.
  id text collate "C" not null,
  -- What that API reads back. `callback`, {"url","api_key"}: where the statuses go.
  data json,
  -- The last status that the callback was called for: 0 none, 1 assigned, 2 sent, 3 a final one.
  told smallint not null default 0
);
create unique index sms_origins_id on sms_origins ("user", api, id);
create index sms_origins_created on sms_origins ("user", api, created, id);

-- Ids of deleted texts that a phone had reported, as received or as typed by its owner, for 90 days: a
-- device's repeated report brings none back.
create table _texts_forgotten (
  id text collate "C" primary key,
  forgotten_at timestamptz not null default now()
);

-- Consent

-- Hashes of entries of `consents` that were deleted, see the trigger consents_kept.
create table _consents_forgotten (
  hash text collate "C" primary key,
  "user" text collate "C" not null,
  event text collate "C" not null,
  -- `created` of the entry.
  created pb_date not null,
  forgotten_at timestamptz not null default now()
);

-- Erased persons

-- Numbers of erased persons, by person_hash: they get no texts. An entry of `consents` with proof that is
-- newer than `created` deletes the row (consents_applied).
create table _stop_list (
  "user" text collate "C" not null,
  hash text collate "C" not null,
  created timestamptz not null default clock_timestamp(),
  primary key ("user", hash)
);
-- The salt of person_hash. A backup contains it together with the list.
insert into _params (key, value)
values ('personSalt', to_json(gen_random_uuid()::text || gen_random_uuid()::text));

-- Automatic answers

-- Answers of the last days by number: each answer goes to a number once in some hours, and a number gets only
-- so many answers a day, which ends the talk of two machines.
create table auto_answers_sent (
  "user" text collate "C" not null,
  number text collate "C" not null,
  answer text collate "C" not null,
  -- The text that was answered.
  message text collate "C" primary key,
  at timestamptz not null default now()
);
create index auto_answers_sent_number on auto_answers_sent ("user", number, at);

-- Devices

-- Pairing codes waiting for their device, as SHA-256. Pairing deletes the row.
create table device_pairings (
  code_hash text collate "C" primary key,
  "user" text collate "C" not null,
  name text collate "C" not null default '',
  expires_at timestamptz not null
);

-- How many messages each claim of the last 24 hours returned. The limits of a device are sums over these
-- rows.
create table device_handouts (
  device text collate "C" not null,
  at timestamptz not null,
  messages integer not null,
  -- The line of the messages, so that `per_minute` of a line is kept.
  line text collate "C" not null default ''
);
create index device_handouts_device on device_handouts (device, at);

-- What each line has used of its limits: texts of the local day `day`, texts and different recipients of the
-- local month `month`. Only lines with limits are counted. An older day or month counts as nothing.
create table line_use (
  line text collate "C" primary key,
  day text collate "C" not null default '',
  day_texts integer not null default 0,
  month text collate "C" not null default '',
  month_texts integer not null default 0,
  recipients integer not null default 0,
  -- When the line last took a turn among some of the lines: the line with the lowest number is next.
  turn bigint not null default 0,
  -- Texts that failed in a row.
  failures integer not null default 0,
  -- When the owner was last told that the line is failing.
  failing_told_at timestamptz
);

-- The recipients that count for `monthly_recipients` of a line, with the texts to each. A row goes with its
-- last text that was not sent.
create table line_recipients (
  line text collate "C" not null,
  month text collate "C" not null,
  number text collate "C" not null,
  texts integer not null,
  primary key (line, month, number)
);

-- What the texts of each line with prices cost in each local month. Kept when the line is deleted.
create table line_costs (
  line text collate "C" not null,
  month text collate "C" not null,
  "user" text collate "C" not null,
  texts integer not null default 0,
  cost numeric not null default 0,
  -- When the budget was first too small for a text, and the owner was told.
  stopped_at timestamptz,
  primary key (line, month)
);
create index line_costs_user on line_costs ("user", month);

-- Devices with an open event stream on any node. They get no Web Push. `until` ends the row of a node that
-- died.
create table device_streams (
  device text collate "C" primary key,
  until timestamptz not null
);

-- The last battery reading of each device. It is not part of the device's record: a reading is no change to
-- report to subscribers. Rows of deleted devices and of devices silent for a month are deleted.
create table device_batteries (
  device text collate "C" primary key,
  percent real,
  at timestamptz not null default now(),
  charging boolean,
  -- How the phone reaches the internet; null if it does not report that.
  connection text collate "C",
  -- The API level of its Android; null if it does not report that.
  android smallint,
  -- When the owner was told that the battery is low; null once it has recovered.
  low_told_at timestamptz
);

-- Since when devices have been able to reach a server without interruption, and when silence was last
-- checked. One row.
create table device_watch (
  is_only boolean primary key default true check (is_only),
  reachable_since timestamptz not null default now(),
  looked_at timestamptz not null default now()
);

-- What the owners of silent devices know. silent: not told yet; told; back: not yet told that it is back;
-- over: no further mails for a while.
create table device_silences (
  device text collate "C" primary key,
  "user" text collate "C" not null,
  state text collate "C" not null check (state in ('silent', 'told', 'back', 'over')),
  -- last_seen of the device. Its owner can write any text there, so it need not be a valid instant.
  silent_since text collate "C" not null,
  changed_at timestamptz not null default now(),
  -- When the owner was last told.
  told_at timestamptz,
  -- When the owner was last mailed about the device.
  mailed_at timestamptz
);

-- Notifications

-- Browsers that show notifications, as RFC 8030 subscriptions. They end with the user's sessions.
create table push_subscriptions (
  -- SHA-256 of the endpoint.
  id text collate "C" primary key,
  "user" text collate "C" not null,
  endpoint text collate "C" not null,
  -- `{"p256dh","auth"}`
  keys json not null,
  user_agent text collate "C" not null,
  created timestamptz not null default now(),
  -- Calls that failed since the last one that did not.
  failures integer not null default 0,
  -- The person who uses the browser: id of the membership, '' for the account's owner.
  sender text collate "C" not null default ''
);
create index push_subscriptions_user on push_subscriptions ("user", created);

-- Pushes of each account in the hour that ends at `ends`, and the earliest next one.
create table push_hours (
  "user" text collate "C" primary key,
  pushes integer not null,
  ends timestamptz not null,
  next_at timestamptz not null default now()
);

-- How far each user has been mailed about conversations that wait for an answer.
create table reply_mails (
  "user" text collate "C" primary key,
  -- Conversations whose last text is not later were in a mail.
  told_until pb_date not null,
  -- The earliest next mail.
  next_at timestamptz not null
);

-- Phones with the SMSGate app

-- What is kept of such a phone beside its record in `devices`.
create table smsgate_phones (
  device text collate "C" primary key,
  "user" text collate "C" not null,
  -- The secret end of the URL to which the phone posts received messages, and the key of its signatures.
  path text collate "C" not null unique,
  signing_key text collate "C" not null,
  -- How far the phone's clock is ahead of ours; null when unknown.
  clock_ms double precision,
  -- How many messages one answer holds, as of `narrowed_at`. It grows again by itself.
  room integer not null,
  narrowed_at timestamptz,
  -- How many texts that it has yet to send its version of the app may hold, as of its last pull.
  at_once integer not null default 1,
  -- Until then the phone counts as one that holds texts: it reported one that it should have sent before.
  held_until timestamptz,
  -- The phone was away from then on, and its inbox has not been fetched yet.
  missed_since timestamptz,
  -- When it was last told to pull, and when it last pulled.
  woken_at timestamptz,
  pulled_at timestamptz,
  -- When it last got new messages, and how many it had to send then.
  handed_at timestamptz,
  handed integer not null default 0,
  -- The period of which the phone is to post what it received; null: none was asked for.
  export_since timestamptz,
  export_until timestamptz
);

-- Which messages each phone got. Messages deleted here stay listed as canceled until the phone has seen that.
create table smsgate_texts (
  device text collate "C" not null,
  "user" text collate "C" not null,
  message text collate "C" not null,
  attempt integer not null,
  -- When an answer last contained it.
  listed_at timestamptz not null,
  -- The phone has reported on it since, so no answer containing it was lost.
  is_known boolean not null default false,
  -- The phone has handed it to Android.
  is_processed boolean not null default false,
  -- When an answer last contained it as canceled.
  canceled_at timestamptz,
  -- The phone does not send it after this instant.
  valid_until timestamptz not null,
  primary key (device, message, attempt)
);

-- SMSGate's API for programs (`/api/3rdparty/v1`)

-- With this key all webhooks of a user that have SMSGate's form are signed. Made when it is first needed.
create table smsgate_accounts (
  "user" text collate "C" primary key,
  signing_key text collate "C" not null
);

-- Pairs of an access and a refresh token.
create table smsgate_tokens (
  -- The `jti` of the access token, and of the refresh token with `:refresh` behind it.
  id text collate "C" primary key,
  "user" text collate "C" not null,
  -- The API key that made it: the pair ends with the key.
  api_key text collate "C" not null,
  scopes text[] collate "C" not null,
  created timestamptz not null default now(),
  access_until timestamptz not null,
  refresh_until timestamptz not null,
  -- The refresh token was used: another pair has taken its place.
  is_refreshed boolean not null default false,
  -- Prefix of the API key's secret when the token was made.
  secret text collate "C" not null
);
create index smsgate_tokens_by_user on smsgate_tokens ("user");
create index smsgate_tokens_by_key on smsgate_tokens (api_key);
create index smsgate_tokens_by_end on smsgate_tokens (refresh_until);

-- Twilio's API

-- How the SmsUrl of a device is called.
create table twilio_numbers (
  device text collate "C" primary key,
  sms_method text collate "C" not null check (sms_method in ('GET', 'POST'))
);

-- Incoming texts whose TwiML was taken: its messages are sent once, whatever is retried.
create table twilio_answers (
  message text collate "C" primary key,
  -- The messages that the answer asked for; null once all were sent.
  replies json,
  created timestamptz not null default now()
);

-- Webhooks

-- A call to make, as webhook_queue takes it.
create type webhook_call as (
  -- Id of the record in webhook_deliveries.
  delivery text,
  -- Id of the webhook. `callbacks 7` for a call of no webhook: calls of one such name are made one by one.
  webhook text,
  "user" text,
  -- The webhook-id header.
  event_id text,
  event text,
  message text,
  -- What to send instead of the message's row.
  image json,
  -- Where a call of no webhook goes: {"url","api_key"}.
  target json
);

-- The queue of webhook calls: one row per delivery that is not finished. Written in the transaction of the
-- event, deleted with the last attempt. The columns are those of webhook_call.
create table webhook_dispatch (
  delivery text collate "C" primary key,
  webhook text collate "C" not null,
  "user" text collate "C" not null,
  due_at timestamptz not null default now(),
  -- Since when a node has leased it for an attempt.
  handed_at timestamptz,
  -- Null for a delivery that was sent again.
  event text collate "C",
  target json
);
-- Calls are taken by user in turn, then by webhook.
create index webhook_dispatch_due on webhook_dispatch ("user", webhook, due_at) where handed_at is null;
create index webhook_dispatch_handed on webhook_dispatch ("user", webhook) where handed_at is not null;
-- The tests of a webhook that wait are counted before another one.
create index webhook_dispatch_tests on webhook_dispatch (webhook) where event = 'webhook.test';

-- The message's row as the event left it. Kept as long as the record of the delivery.
create table webhook_payloads (
  delivery text collate "C" primary key,
  at timestamptz not null,
  image json not null,
  -- As in webhook_dispatch.
  target json
);

-- The headers of a delivery's last attempt, by name. Not in webhook_payloads: an update would write the image
-- again.
create table webhook_headers (
  delivery text collate "C" primary key,
  headers json not null
);

-- Until when the previous secret of a webhook is valid beside the new one.
create table webhook_rotations (
  webhook text collate "C" primary key,
  until timestamptz not null
);

-- Hooks: texts from the events of other tools

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

-- Accounts of carriers that the servers themselves run as devices (src/gateway/carriers). Rows of deleted
-- devices are deleted.
create table device_carriers (
  device text collate "C" primary key,
  "user" text collate "C" not null,
  -- The settings without secrets, and the encrypted secrets (src/platform/db/secrets.ts).
  account json not null,
  sealed text collate "C" not null,
  -- The SHA-256 of the token in the address for the carrier's calls.
  address_hash text collate "C" not null unique,
  -- Increased by each change of the settings.
  version integer not null default 1,
  -- The server that runs it, and until when. Then another server may run it.
  node text collate "C" not null default '',
  leased_until timestamptz not null default '-infinity',
  -- Why the carrier refuses the account, '' while it does not; when the owner was told.
  fault text collate "C" not null default '',
  fault_told_at timestamptz,
  -- Whether it sends any text. Else only texts that name it, until one of them is delivered.
  ready boolean not null default true
);
create index device_carriers_user on device_carriers ("user");

-- Attempts that a server handed to a carrier, until their result is stored: no other server hands them again.
create table carrier_attempts (
  device text collate "C" not null,
  message text collate "C" not null,
  attempt integer not null,
  begun_at timestamptz not null default now(),
  primary key (device, message, attempt)
);

-- When each text of a carrier arrived first, by the hash of the carrier's id. A text that the carrier repeats
-- has the same time, and so is the same message. Kept for 90 days.
create table carrier_texts (
  device text collate "C" not null,
  key text collate "C" not null,
  at timestamptz not null,
  primary key (device, key)
);
create index carrier_texts_at on carrier_texts (at);

-- Codes that prove phone numbers

-- The code of each pending verification, deleted when it ends.
create table _verify_codes (
  verification text collate "C" primary key,
  -- The keyed hash of the code, and the encrypted code for another send (src/platform/db/secrets.ts).
  hash text collate "C" not null,
  sealed text collate "C" not null
);

-- Backups

-- What this installation knows about its backups (src/engine/backup/state.ts). One row. Backups do not
-- contain it and restores do not replace it. state.ts describes the JSON columns.
create table backup_state (
  is_only boolean primary key default true check (is_only),
  -- An installation younger than a week is not warned about missing backups.
  since timestamptz not null default now(),
  -- The running backup or restore, and until when its node holds the lease.
  running json,
  lease uuid,
  lease_until timestamptz,
  last_backup json,
  last_restore json,
  -- The last failed backup or restore; null after a later success.
  last_failure json,
  -- The last known cron expression, and up to when it has been served.
  schedule text collate "C" not null default '',
  scheduled_until timestamptz not null default now(),
  -- Increased by each restore. A node that remembers another number restarts its work.
  restores bigint not null default 0
);
insert into backup_state default values;
