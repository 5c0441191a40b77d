-- Domains

create domain pb_date as text collate "C" default ''::text not null;

-- Types

create type sms_line_state as (
  id text,
  device text,
  slot integer,
  number text,
  prefixes text,
  rank integer,
  is_available boolean,
  full_until timestamp with time zone,
  is_limited boolean,
  is_failing boolean,
  can_mms boolean,
  is_carrier boolean,
  is_stale boolean,
  day text,
  next_day timestamp with time zone,
  next_month timestamp with time zone,
  day_room double precision,
  month_room double precision,
  has_recipient_limit boolean,
  recipient_room double precision,
  prices json,
  budget numeric,
  spent numeric,
  is_told boolean,
  turn bigint,
  day_more integer,
  recipients_more integer,
  cost_more numeric,
  has_turned boolean,
  has_stopped boolean
);

create type sms_new_message as (
  "user" text,
  id text,
  status text,
  "to" text,
  "from" text,
  body text,
  segments double precision,
  device text,
  line text,
  pinned boolean,
  line_pinned boolean,
  charged text,
  waiting_for text,
  zone text,
  due_at timestamp with time zone,
  batch text,
  priority integer,
  sim integer,
  scheduled_at text,
  expires_at text,
  guarantee text,
  ref text,
  is_answer boolean,
  sealed text,
  lines text[],
  sent_by text,
  fault text,
  cost numeric,
  scope text,
  subject text,
  attachments text[]
);

create type sms_request as (
  version text,
  key text,
  key_version text,
  device text,
  line text,
  "from" text,
  later boolean,
  undo_seconds integer,
  batch text,
  body text,
  priority integer,
  sim integer,
  scheduled_at text,
  expires_at text,
  guarantee text,
  ref text,
  bulk boolean,
  idempotency_key text,
  fingerprint text,
  answer text,
  origin json,
  messages sms_request_message[],
  sent_by text,
  sealed text,
  lines text[],
  template text,
  groups text[],
  requires_consent boolean,
  is_help boolean,
  scope text,
  refusals text[],
  subject text,
  attachments text[]
);

create type sms_request_message as (
  id text,
  "to" text,
  body text,
  segments double precision,
  zone text
);

create type webhook_call as (
  delivery text,
  webhook text,
  "user" text,
  event_id text,
  event text,
  message text,
  image json,
  target json
);

-- Tables with their indexes and triggers, those of built-in collections too

create table _audit (
  _rowid bigint generated always as identity not null,
  id text collate "C" not null default pb_new_id(),
  created pb_date not null default pb_text(clock_timestamp()),
  superuser text collate "C" not null default ''::text,
  email text collate "C" not null default ''::text,
  ip text collate "C" not null default ''::text,
  action text collate "C" not null,
  collection text collate "C" not null default ''::text,
  record text collate "C" not null default ''::text,
  fields json not null default '[]'::json,
  constraint _audit_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX _audit_created ON _audit USING btree (created);
CREATE UNIQUE INDEX _audit_rowid ON _audit USING btree (_rowid);
CREATE TRIGGER _audit_queued AFTER INSERT ON _audit FOR EACH ROW EXECUTE FUNCTION _audit_queued();

create table _audit_logs (
  account text collate "C" not null,
  first_number bigint not null default 1,
  last_number bigint not null,
  constraint _audit_logs_pkey PRIMARY KEY (account)
);

create table _audit_numbers (
  account text collate "C" not null,
  number bigint not null,
  entry text collate "C" not null,
  constraint _audit_numbers_pkey PRIMARY KEY (account, number)
);
CREATE INDEX _audit_numbers_entry ON _audit_numbers USING btree (entry);

create table _audit_queue (
  "position" bigint generated always as identity not null,
  account text collate "C" not null,
  entry text collate "C" not null,
  constraint _audit_queue_pkey PRIMARY KEY ("position")
);

create table "_authOrigins" (
  id text collate "C" not null,
  "collectionRef" text collate "C" not null default ''::text,
  "recordRef" text collate "C" not null default ''::text,
  fingerprint text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint "_authOrigins__rowid_key" UNIQUE (_rowid),
  constraint "_authOrigins_pkey" PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX "idx_authOrigins_unique_pairs" ON "_authOrigins" USING btree ("collectionRef", "recordRef", fingerprint);

create table _changes (
  "position" bigint generated always as identity not null,
  xid xid8 not null default pg_current_xact_id(),
  collection text collate "C" not null,
  action text collate "C" not null,
  record text collate "C" not null,
  image json,
  former json,
  constraint _changes_action_check CHECK (action = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text])),
  constraint _changes_pkey PRIMARY KEY ("position")
);
CREATE INDEX _changes_xid ON _changes USING btree (xid, collection, record, "position");
CREATE TRIGGER announce AFTER INSERT ON _changes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION _changes_announce();
CREATE TRIGGER note BEFORE INSERT ON _changes FOR EACH ROW WHEN (new.image IS NULL OR pg_trigger_depth() = 0) EXECUTE FUNCTION _changes_note();

create table _collections (
  id text collate "C" not null,
  name text collate "C" not null,
  data json not null,
  "position" bigint generated always as identity not null,
  constraint _collections_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX _collections_name ON _collections USING btree (lower(name));

create table _consents_forgotten (
  hash text collate "C" not null,
  "user" text collate "C" not null,
  event text collate "C" not null,
  created pb_date not null,
  forgotten_at timestamp with time zone not null default now(),
  constraint _consents_forgotten_pkey PRIMARY KEY (hash)
);

create table "_externalAuths" (
  id text collate "C" not null,
  "collectionRef" text collate "C" not null default ''::text,
  "recordRef" text collate "C" not null default ''::text,
  provider text collate "C" not null default ''::text,
  "providerId" text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint "_externalAuths__rowid_key" UNIQUE (_rowid),
  constraint "_externalAuths_pkey" PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX "idx_externalAuths_collection_provider" ON "_externalAuths" USING btree ("collectionRef", provider, "providerId");
CREATE UNIQUE INDEX "idx_externalAuths_record_provider" ON "_externalAuths" USING btree ("collectionRef", "recordRef", provider);

create table _file_chunks (
  content bigint not null,
  part integer not null,
  bytes bytea not null /* storage e */,
  constraint _file_chunks_content_fkey FOREIGN KEY (content) REFERENCES _file_contents(id) ON DELETE CASCADE,
  constraint _file_chunks_pkey PRIMARY KEY (content, part)
);

create table _file_contents (
  id bigint generated always as identity not null,
  account text collate "C" not null default ''::text,
  sha256 bytea,
  size bigint not null,
  constraint _file_contents_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX _file_contents_account ON _file_contents USING btree (account, sha256) INCLUDE (size) WHERE account <> ''::text;

create table _files (
  id bigint generated always as identity not null,
  collection text collate "C" not null,
  record text collate "C" not null,
  name text collate "C" not null,
  thumb text collate "C" not null default ''::text,
  original bigint,
  content bigint not null,
  size bigint not null,
  type text collate "C" not null,
  modified timestamp with time zone not null default now(),
  constraint _files_collection_record_name_thumb_key UNIQUE (collection, record, name, thumb),
  constraint _files_content_fkey FOREIGN KEY (content) REFERENCES _file_contents(id),
  constraint _files_original_fkey FOREIGN KEY (original) REFERENCES _files(id) ON DELETE CASCADE,
  constraint _files_pkey PRIMARY KEY (id)
);
CREATE INDEX _files_content ON _files USING btree (content);
CREATE INDEX _files_original ON _files USING btree (original) WHERE original IS NOT NULL;
CREATE TRIGGER _file_contents_unnamed AFTER DELETE ON _files REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION _file_contents_unnamed();

create table _functions (
  name text collate "C" not null,
  checksum text collate "C" not null,
  constraint _functions_pkey PRIMARY KEY (name)
);

create table _jobs (
  id bigint generated always as identity not null,
  kind text collate "C" not null,
  holder text collate "C" not null default ''::text,
  key text collate "C" not null,
  payload json not null default 'null'::json,
  due_at timestamp with time zone not null default now(),
  runs integer not null default 0,
  attempts integer not null default 0,
  error text not null default ''::text,
  dead_at timestamp with time zone,
  created timestamp with time zone not null default now(),
  constraint _jobs_kind_key_key UNIQUE (kind, key),
  constraint _jobs_pkey PRIMARY KEY (id)
);
CREATE INDEX _jobs_due ON _jobs USING btree (kind, due_at) WHERE dead_at IS NULL;
CREATE INDEX _jobs_turns ON _jobs USING btree (kind, holder, due_at, id) WHERE dead_at IS NULL;
CREATE TRIGGER _jobs_added AFTER INSERT ON _jobs FOR EACH ROW EXECUTE FUNCTION _jobs_added();

create table _listeners (
  node text collate "C" not null,
  seen timestamp with time zone not null default now(),
  ignored text[] collate "C" not null default '{}'::text[],
  constraint _listeners_pkey PRIMARY KEY (node)
);

create table _logs (
  _rowid bigint generated always as identity not null,
  id text collate "C" not null default pb_new_id(),
  created pb_date not null,
  level double precision not null,
  message text collate "C" not null default ''::text,
  data json not null default '{}'::json,
  constraint _logs_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX _logs_created ON _logs USING btree (created);
CREATE UNIQUE INDEX _logs_rowid ON _logs USING btree (_rowid);

create table _mfas (
  id text collate "C" not null,
  "collectionRef" text collate "C" not null default ''::text,
  "recordRef" text collate "C" not null default ''::text,
  method text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint _mfas__rowid_key UNIQUE (_rowid),
  constraint _mfas_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX "idx_mfas_collectionRef_recordRef" ON _mfas USING btree ("collectionRef", "recordRef");

create table _migrations (
  file text not null,
  applied timestamp with time zone not null default now(),
  sha256 text collate "C",
  constraint _migrations_pkey PRIMARY KEY (file)
);

create table _otps (
  id text collate "C" not null,
  "collectionRef" text collate "C" not null default ''::text,
  "recordRef" text collate "C" not null default ''::text,
  password text collate "C" not null default ''::text,
  "sentTo" text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint _otps__rowid_key UNIQUE (_rowid),
  constraint _otps_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX "idx_otps_collectionRef_recordRef" ON _otps USING btree ("collectionRef", "recordRef");

create table _params (
  key text collate "C" not null,
  value json not null,
  constraint _params_pkey PRIMARY KEY (key)
);

create table _provider_claims (
  mfa text collate "C" not null,
  provider text collate "C" not null,
  sealed text collate "C" not null,
  ends timestamp with time zone not null,
  constraint _provider_claims_pkey PRIMARY KEY (mfa)
);
CREATE INDEX _provider_claims_ends ON _provider_claims USING btree (ends);

create table _schema (
  oldest integer not null
);

create table _stop_list (
  "user" text collate "C" not null,
  hash text collate "C" not null,
  created timestamp with time zone not null default clock_timestamp(),
  constraint _stop_list_pkey PRIMARY KEY ("user", hash)
);

create table _subscribing (
  id text collate "C" not null,
  node text collate "C" not null,
  request json not null,
  answer json,
  at timestamp with time zone not null default now(),
  constraint _subscribing_pkey PRIMARY KEY (id)
);

create table _superusers (
  id text collate "C" not null,
  password text collate "C" not null default ''::text,
  "tokenKey" text collate "C" not null default ''::text,
  email text collate "C" not null default ''::text,
  "emailVisibility" boolean not null default false,
  verified boolean not null default false,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint _superusers__rowid_key UNIQUE (_rowid),
  constraint _superusers_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX "idx_tokenKey_pbc_3142635823" ON _superusers USING btree ("tokenKey");
CREATE UNIQUE INDEX idx_email_pbc_3142635823 ON _superusers USING btree (email) WHERE email <> ''::text;

create table _texts_forgotten (
  id text collate "C" not null,
  forgotten_at timestamp with time zone not null default now(),
  constraint _texts_forgotten_pkey PRIMARY KEY (id)
);

create table _unproven_links (
  link text collate "C" not null,
  constraint _unproven_links_pkey PRIMARY KEY (link)
);

create table _verify_codes (
  verification text collate "C" not null,
  hash text collate "C" not null,
  sealed text collate "C" not null,
  constraint _verify_codes_pkey PRIMARY KEY (verification)
);

create table account_audit (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  sender text collate "C" not null default ''::text,
  action text collate "C" not null default ''::text,
  collection text collate "C" not null default ''::text,
  record text collate "C" not null default ''::text,
  fields json,
  ip text collate "C" not null default ''::text,
  created pb_date,
  _rowid bigint generated always as identity not null,
  constraint account_audit__rowid_key UNIQUE (_rowid),
  constraint account_audit_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_account_audit_user ON account_audit USING btree ("user", created);
CREATE TRIGGER account_audit_numbered AFTER INSERT ON account_audit FOR EACH ROW EXECUTE FUNCTION _audit_queued();

create table api_keys (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  prefix text collate "C" not null default ''::text,
  hash text collate "C" not null default ''::text,
  twilio boolean not null default false,
  signing text collate "C" not null default ''::text,
  destinations text collate "C" not null default ''::text,
  addresses text collate "C" not null default ''::text,
  disabled boolean not null default false,
  lines text[] collate "C" not null default '{}'::text[],
  last_used_ip text collate "C" not null default ''::text,
  last_used_prefix text collate "C" not null default ''::text,
  previous_prefix text collate "C" not null default ''::text,
  previous_hash text collate "C" not null default ''::text,
  previous_signing text collate "C" not null default ''::text,
  expires_at pb_date,
  last_used_at pb_date,
  scopes text[] collate "C" not null default '{}'::text[],
  previous_until pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint api_keys__rowid_key UNIQUE (_rowid),
  constraint api_keys_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_api_keys_user ON api_keys USING btree ("user");
CREATE UNIQUE INDEX api_keys_previous ON api_keys USING btree (previous_hash) WHERE previous_hash <> ''::text;
CREATE UNIQUE INDEX idx_api_keys_hash ON api_keys USING btree (hash) WHERE hash <> ''::text;
CREATE TRIGGER api_keys_narrowed_update AFTER UPDATE OF destinations ON api_keys FOR EACH ROW WHEN (new.destinations <> old.destinations AND new.destinations <> ''::text) EXECUTE FUNCTION sms_destinations_narrowed('key');
CREATE TRIGGER callers_of_keys AFTER DELETE OR UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION caller_changed();
CREATE TRIGGER senders_of_keys AFTER INSERT OR UPDATE OF name ON api_keys FOR EACH ROW EXECUTE FUNCTION senders_noted('key');

create table auth_challenges (
  hash text collate "C" not null,
  purpose text collate "C" not null,
  collection text collate "C" not null,
  record text collate "C" not null,
  ends timestamp with time zone not null,
  constraint auth_challenges_pkey PRIMARY KEY (hash)
);
CREATE INDEX auth_challenges_ends ON auth_challenges USING btree (ends);

create table auth_factors (
  collection text collate "C" not null,
  record text collate "C" not null,
  sealed text collate "C" not null default ''::text,
  pending text collate "C" not null default ''::text,
  confirmed_at timestamp with time zone,
  last_step bigint not null default 0,
  recovery text[] collate "C" not null default '{}'::text[],
  pending_until timestamp with time zone,
  constraint auth_factors_pkey PRIMARY KEY (collection, record)
);
CREATE TRIGGER factor_changed AFTER INSERT OR DELETE OR UPDATE OF confirmed_at ON auth_factors FOR EACH ROW EXECUTE FUNCTION factor_changed();

create table auth_passkeys (
  id text collate "C" not null,
  collection text collate "C" not null,
  record text collate "C" not null,
  credential text collate "C" not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] collate "C" not null,
  name text collate "C" not null,
  host text collate "C" not null,
  created timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  constraint auth_passkeys_credential_key UNIQUE (credential),
  constraint auth_passkeys_pkey PRIMARY KEY (id)
);
CREATE INDEX auth_passkeys_record ON auth_passkeys USING btree (collection, record);

create table auth_session_tokens (
  token_hash text collate "C" not null,
  session text collate "C" not null,
  expires_at timestamp with time zone not null,
  account text collate "C" not null default ''::text,
  constraint auth_session_tokens_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX auth_session_tokens_account ON auth_session_tokens USING btree (account) WHERE account <> ''::text;
CREATE INDEX auth_session_tokens_expires_at ON auth_session_tokens USING btree (expires_at);

create table auth_sessions (
  id text collate "C" not null,
  collection text collate "C" not null,
  record text collate "C" not null,
  token_hash text collate "C" not null,
  created timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  method text collate "C" not null default ''::text,
  ip text collate "C" not null,
  user_agent text collate "C" not null,
  ended_at timestamp with time zone,
  proven_at timestamp with time zone,
  constraint auth_sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX auth_sessions_ended ON auth_sessions USING btree (collection, record) WHERE ended_at IS NOT NULL;
CREATE INDEX auth_sessions_expires_at ON auth_sessions USING btree (expires_at);
CREATE INDEX auth_sessions_record ON auth_sessions USING btree (collection, record, created);
CREATE TRIGGER acting_ended_by_session AFTER UPDATE OF ended_at ON auth_sessions FOR EACH ROW WHEN (old.ended_at IS NULL AND new.ended_at IS NOT NULL AND new.collection = '_pb_users_auth_'::text) EXECUTE FUNCTION acting_ended();

create table auth_tries (
  key text collate "C" not null,
  tries integer not null,
  ends timestamp with time zone not null,
  constraint auth_tries_pkey PRIMARY KEY (key)
);
CREATE INDEX auth_tries_ends ON auth_tries USING btree (ends);

create table auto_answers (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  enabled boolean not null default false,
  value text collate "C" not null default ''::text,
  lines text[] collate "C" not null default '{}'::text[],
  hours_from text collate "C" not null default ''::text,
  hours_to text collate "C" not null default ''::text,
  body text collate "C" not null default ''::text,
  template text collate "C" not null default ''::text,
  attachments text[] collate "C" not null default '{}'::text[],
  pause_hours double precision not null default 0,
  label text collate "C" not null default ''::text,
  match text collate "C" not null default ''::text,
  days text[] collate "C" not null default '{}'::text[],
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint auto_answers__rowid_key UNIQUE (_rowid),
  constraint auto_answers_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_auto_answers_user ON auto_answers USING btree ("user");
CREATE CONSTRAINT TRIGGER _files_changed AFTER UPDATE ON auto_answers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments IS DISTINCT FROM new.attachments) EXECUTE FUNCTION _files_named('auto_answers', 'b."attachments"');
CREATE CONSTRAINT TRIGGER _files_deleted AFTER DELETE ON auto_answers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments <> '{}'::text[]) EXECUTE FUNCTION _files_named('auto_answers', 'b."attachments"');
CREATE TRIGGER senders_of_answers AFTER INSERT OR UPDATE OF name ON auto_answers FOR EACH ROW EXECUTE FUNCTION senders_noted('answer');

create table auto_answers_sent (
  "user" text collate "C" not null,
  number text collate "C" not null,
  answer text collate "C" not null,
  message text collate "C" not null,
  at timestamp with time zone not null default now(),
  constraint auto_answers_sent_pkey PRIMARY KEY (message)
);
CREATE INDEX auto_answers_sent_number ON auto_answers_sent USING btree ("user", number, at);

create table backup_state (
  is_only boolean not null default true,
  since timestamp with time zone not null default now(),
  running json,
  lease uuid,
  lease_until timestamp with time zone,
  last_backup json,
  last_restore json,
  last_failure json,
  schedule text collate "C" not null default ''::text,
  scheduled_until timestamp with time zone not null default now(),
  restores bigint not null default 0,
  constraint backup_state_is_only_check CHECK (is_only),
  constraint backup_state_pkey PRIMARY KEY (is_only)
);

create table campaign_recipients (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  campaign text collate "C" not null default ''::text,
  line double precision not null default 0,
  "to" text collate "C" not null default ''::text,
  "values" json,
  message text collate "C" not null default ''::text,
  reason text collate "C" not null default ''::text,
  occurrence text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint campaign_recipients__rowid_key UNIQUE (_rowid),
  constraint campaign_recipients_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_campaign_recipients_campaign ON campaign_recipients USING btree (campaign, line);
CREATE INDEX idx_campaign_recipients_message ON campaign_recipients USING btree (message) WHERE message <> ''::text;
CREATE INDEX idx_campaign_recipients_user_to ON campaign_recipients USING btree ("user", "to");
CREATE UNIQUE INDEX idx_campaign_recipients_occurrence ON campaign_recipients USING btree (campaign, occurrence) WHERE occurrence <> ''::text;

create table campaigns (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  body text collate "C" not null default ''::text,
  template text collate "C" not null default ''::text,
  variables json,
  groups text[] collate "C" not null default '{}'::text[],
  recipients json,
  device text collate "C" not null default ''::text,
  sim double precision not null default 0,
  priority double precision not null default 0,
  batch_id text collate "C" not null default ''::text,
  revision double precision not null default 0,
  recipients_count double precision not null default 0,
  segments double precision not null default 0,
  error text collate "C" not null default ''::text,
  batches json,
  quiet_hours boolean not null default false,
  requires_consent boolean not null default false,
  without_consent json,
  line text collate "C" not null default ''::text,
  repeat json,
  reminder json,
  runs double precision not null default 0,
  run_of text collate "C" not null default ''::text,
  attachments text[] collate "C" not null default '{}'::text[],
  subject text collate "C" not null default ''::text,
  former_batch text collate "C" not null default ''::text,
  audience json,
  settled boolean not null default false,
  changed_by text collate "C" not null default ''::text,
  made_by text collate "C" not null default ''::text,
  rows double precision not null default 0,
  left_out double precision not null default 0,
  filter text collate "C" not null default ''::text,
  of_campaign text collate "C" not null default ''::text,
  scheduled_at pb_date,
  expires_at pb_date,
  status text collate "C" not null default ''::text,
  guarantee text collate "C" not null default ''::text,
  looked_at pb_date,
  unknown_until pb_date,
  begins_at pb_date,
  mms text collate "C" not null default ''::text,
  of_state text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint campaigns__rowid_key UNIQUE (_rowid),
  constraint campaigns_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX campaigns_repeating ON campaigns USING btree ("user") WHERE status = ANY (ARRAY['repeating'::text, 'paused'::text]);
CREATE INDEX campaigns_unsettled ON campaigns USING btree (updated) WHERE NOT settled;
CREATE INDEX idx_campaigns_user_created ON campaigns USING btree ("user", created);
CREATE CONSTRAINT TRIGGER _files_changed AFTER UPDATE ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments IS DISTINCT FROM new.attachments) EXECUTE FUNCTION _files_named('campaigns', 'b."attachments"');
CREATE CONSTRAINT TRIGGER _files_deleted AFTER DELETE ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments <> '{}'::text[]) EXECUTE FUNCTION _files_named('campaigns', 'b."attachments"');
CREATE TRIGGER campaigns_unsettled AFTER INSERT OR UPDATE ON campaigns FOR EACH ROW WHEN (NOT new.settled) EXECUTE FUNCTION campaigns_unsettled();
CREATE TRIGGER senders_of_campaigns AFTER INSERT OR UPDATE OF name ON campaigns FOR EACH ROW EXECUTE FUNCTION senders_noted('campaign');

create table carrier_attempts (
  device text collate "C" not null,
  message text collate "C" not null,
  attempt integer not null,
  begun_at timestamp with time zone not null default now(),
  constraint carrier_attempts_pkey PRIMARY KEY (device, message, attempt)
);

create table carrier_texts (
  device text collate "C" not null,
  key text collate "C" not null,
  at timestamp with time zone not null,
  constraint carrier_texts_pkey PRIMARY KEY (device, key)
);
CREATE INDEX carrier_texts_at ON carrier_texts USING btree (at);

create table consent_states (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  number text collate "C" not null default ''::text,
  "group" text collate "C" not null default ''::text,
  purpose text collate "C" not null default ''::text,
  entry text collate "C" not null default ''::text,
  previous json,
  state text collate "C" not null default ''::text,
  since pb_date,
  until pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint consent_states__rowid_key UNIQUE (_rowid),
  constraint consent_states_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_consent_states_group ON consent_states USING btree ("group", state);
CREATE UNIQUE INDEX idx_consent_states_of ON consent_states USING btree ("user", number, "group", purpose);
CREATE TRIGGER consent_states_kept BEFORE INSERT OR DELETE OR UPDATE ON consent_states FOR EACH ROW EXECUTE FUNCTION consent_states_kept();
CREATE TRIGGER consent_states_unwanted AFTER INSERT OR UPDATE ON consent_states FOR EACH ROW WHEN (new.state = 'stopped'::text AND new."group" <> ''::text) EXECUTE FUNCTION sms_texts_unwanted('number');

create table consents (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  contact text collate "C" not null default ''::text,
  number text collate "C" not null default ''::text,
  purpose text collate "C" not null default ''::text,
  "group" text collate "C" not null default ''::text,
  shown text collate "C" not null default ''::text,
  version text collate "C" not null default ''::text,
  said text collate "C" not null default ''::text,
  message text collate "C" not null default ''::text,
  address text collate "C" not null default ''::text,
  browser text collate "C" not null default ''::text,
  entered_by text collate "C" not null default ''::text,
  event text collate "C" not null default ''::text,
  source text collate "C" not null default ''::text,
  given_at pb_date,
  created pb_date,
  _rowid bigint generated always as identity not null,
  constraint consents__rowid_key UNIQUE (_rowid),
  constraint consents_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_consents_message ON consents USING btree (message) WHERE message <> ''::text;
CREATE INDEX idx_consents_user_created ON consents USING btree ("user", created);
CREATE INDEX idx_consents_user_number ON consents USING btree ("user", number, created);
CREATE TRIGGER consents_applied AFTER INSERT ON consents FOR EACH ROW EXECUTE FUNCTION consents_applied();
CREATE TRIGGER consents_kept BEFORE DELETE OR UPDATE ON consents FOR EACH ROW EXECUTE FUNCTION consents_kept();
CREATE TRIGGER consents_kept_whole BEFORE TRUNCATE ON consents FOR EACH STATEMENT EXECUTE FUNCTION consents_kept();

create table contact_fields (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  key text collate "C" not null default ''::text,
  choices json,
  former json,
  type text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint contact_fields__rowid_key UNIQUE (_rowid),
  constraint contact_fields_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX idx_contact_fields_user_key ON contact_fields USING btree ("user", key);

create table contact_groups (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  join_words text collate "C" not null default ''::text,
  join_confirm boolean not null default false,
  join_text text collate "C" not null default ''::text,
  join_page boolean not null default false,
  page_text text collate "C" not null default ''::text,
  page_consent text collate "C" not null default ''::text,
  requires_consent boolean not null default false,
  keep_days double precision not null default 0,
  page_confirm text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint contact_groups__rowid_key UNIQUE (_rowid),
  constraint contact_groups_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX contact_groups_name_key ON contact_groups USING btree ("user", pb_name_key(name));
CREATE UNIQUE INDEX idx_contact_groups_user_name ON contact_groups USING btree ("user", name);
CREATE TRIGGER contact_groups_named_insert BEFORE INSERT ON contact_groups FOR EACH ROW EXECUTE FUNCTION contact_groups_named('7367060');
CREATE TRIGGER contact_groups_named_update BEFORE UPDATE OF name, "user" ON contact_groups FOR EACH ROW WHEN (old.name <> new.name OR old."user" <> new."user") EXECUTE FUNCTION contact_groups_named('7367060');
CREATE TRIGGER contact_groups_scopes_kept AFTER DELETE ON contact_groups FOR EACH ROW WHEN (old.requires_consent) EXECUTE FUNCTION scopes_kept();

create table contacts (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  phone text collate "C" not null default ''::text,
  groups text[] collate "C" not null default '{}'::text[],
  opted_out boolean not null default false,
  data json,
  time_zone text collate "C" not null default ''::text,
  labels text[] collate "C" not null default '{}'::text[],
  person text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint contacts__rowid_key UNIQUE (_rowid),
  constraint contacts_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX contacts_in_order ON contacts USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX contacts_labelled ON contacts USING gin (labels) WHERE labels <> '{}'::text[];
CREATE INDEX contacts_person ON contacts USING btree ("user", person) WHERE person <> ''::text;
CREATE UNIQUE INDEX idx_contacts_user_phone ON contacts USING btree ("user", phone);
CREATE TRIGGER contacts_consented_insert AFTER INSERT ON contacts FOR EACH ROW WHEN (new.opted_out OR COALESCE(current_setting('pocketsms.consent'::text, true), ''::text) <> ''::text) EXECUTE FUNCTION contacts_consented();
CREATE TRIGGER contacts_consented_update AFTER UPDATE ON contacts FOR EACH ROW WHEN (old.opted_out <> new.opted_out OR new.opted_out AND (old."user" <> new."user" OR old.phone <> new.phone)) EXECUTE FUNCTION contacts_consented();
CREATE TRIGGER contacts_labelled_insert AFTER INSERT ON contacts FOR EACH ROW EXECUTE FUNCTION labels_of_contact();
CREATE TRIGGER contacts_labelled_update AFTER UPDATE ON contacts FOR EACH ROW WHEN (old."user" <> new."user" OR old.phone <> new.phone OR old.labels <> new.labels) EXECUTE FUNCTION labels_of_contact();
CREATE TRIGGER contacts_named_delete AFTER DELETE ON contacts FOR EACH ROW WHEN (old.name <> ''::text) EXECUTE FUNCTION sms_conversation_named();
CREATE TRIGGER contacts_named_insert AFTER INSERT ON contacts FOR EACH ROW WHEN (new.name <> ''::text) EXECUTE FUNCTION sms_conversation_named();
CREATE TRIGGER contacts_named_update AFTER UPDATE ON contacts FOR EACH ROW WHEN (old."user" <> new."user" OR old.phone <> new.phone OR old.name <> new.name) EXECUTE FUNCTION sms_conversation_named();
CREATE TRIGGER contacts_stopped_insert BEFORE INSERT ON contacts FOR EACH ROW WHEN (NOT new.opted_out) EXECUTE FUNCTION contacts_stopped();
CREATE TRIGGER contacts_stopped_update BEFORE UPDATE ON contacts FOR EACH ROW WHEN (NOT new.opted_out AND (old."user" <> new."user" OR old.phone <> new.phone)) EXECUTE FUNCTION contacts_stopped();
CREATE TRIGGER contacts_unwanted_insert AFTER INSERT ON contacts FOR EACH ROW WHEN (new.opted_out) EXECUTE FUNCTION sms_texts_unwanted('phone');
CREATE TRIGGER contacts_unwanted_update AFTER UPDATE ON contacts FOR EACH ROW WHEN (new.opted_out AND (NOT old.opted_out OR old."user" <> new."user" OR old.phone <> new.phone)) EXECUTE FUNCTION sms_texts_unwanted('phone');

create table conversation_drafts (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  conversation text collate "C" not null default ''::text,
  author text collate "C" not null default ''::text,
  text text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint conversation_drafts__rowid_key UNIQUE (_rowid),
  constraint conversation_drafts_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_conversation_drafts_user ON conversation_drafts USING btree ("user");
CREATE UNIQUE INDEX idx_conversation_drafts_conversation ON conversation_drafts USING btree (conversation, author);

create table conversation_notes (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  conversation text collate "C" not null default ''::text,
  author text collate "C" not null default ''::text,
  text text collate "C" not null default ''::text,
  mentions text[] collate "C" not null default '{}'::text[],
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint conversation_notes__rowid_key UNIQUE (_rowid),
  constraint conversation_notes_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_conversation_notes_conversation ON conversation_notes USING btree (conversation, created);
CREATE INDEX idx_conversation_notes_user ON conversation_notes USING btree ("user");

create table conversations (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  number text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  last_text text collate "C" not null default ''::text,
  last_message text collate "C" not null default ''::text,
  device text collate "C" not null default ''::text,
  unread double precision not null default 0,
  unanswered boolean not null default false,
  archived boolean not null default false,
  line text collate "C" not null default ''::text,
  assignee text collate "C" not null default ''::text,
  blocked boolean not null default false,
  last_sender text collate "C" not null default ''::text,
  failure text collate "C" not null default ''::text,
  labels text[] collate "C" not null default '{}'::text[],
  last_at pb_date,
  last_type text collate "C" not null default ''::text,
  assigned_at pb_date,
  follow_up_at pb_date,
  asked_at pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint conversations__rowid_key UNIQUE (_rowid),
  constraint conversations_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX conversations_assigned ON conversations USING btree ("user", assignee, assigned_at) WHERE assignee <> ''::text;
CREATE INDEX conversations_blocked ON conversations USING btree ("user", last_at) WHERE blocked;
CREATE INDEX conversations_by_message ON conversations USING btree (last_message) WHERE last_message <> ''::text;
CREATE INDEX conversations_by_time ON conversations USING btree ("user", archived, last_at);
CREATE INDEX conversations_failed ON conversations USING btree ("user", last_at) WHERE failure <> ''::text;
CREATE INDEX conversations_follow_up ON conversations USING btree ("user", follow_up_at) WHERE follow_up_at::text <> ''::text;
CREATE INDEX conversations_labelled ON conversations USING gin (labels) WHERE labels <> '{}'::text[];
CREATE INDEX conversations_mine ON conversations USING btree ("user", assignee, last_at) WHERE assignee <> ''::text AND NOT archived;
CREATE INDEX conversations_of_nobody ON conversations USING btree ("user", last_at) WHERE assignee = ''::text AND NOT archived AND NOT blocked;
CREATE INDEX conversations_unread ON conversations USING btree ("user", last_at) WHERE unread > 0::double precision;
CREATE INDEX conversations_waiting ON conversations USING btree ("user", last_at) WHERE unanswered AND NOT archived AND follow_up_at::text = ''::text;
CREATE UNIQUE INDEX idx_conversations_user_number ON conversations USING btree ("user", number);
CREATE TRIGGER conversations_labelled_insert AFTER INSERT ON conversations FOR EACH ROW EXECUTE FUNCTION labels_of_conversation();
CREATE TRIGGER conversations_labelled_update AFTER UPDATE ON conversations FOR EACH ROW WHEN (old."user" <> new."user" OR old.number <> new.number OR old.labels <> new.labels) EXECUTE FUNCTION labels_of_conversation();

create table device_batteries (
  device text collate "C" not null,
  percent real,
  at timestamp with time zone not null default now(),
  charging boolean,
  connection text collate "C",
  android smallint,
  low_told_at timestamp with time zone,
  constraint device_batteries_pkey PRIMARY KEY (device)
);

create table device_carriers (
  device text collate "C" not null,
  "user" text collate "C" not null,
  account json not null,
  sealed text collate "C" not null,
  address_hash text collate "C" not null,
  version integer not null default 1,
  node text collate "C" not null default ''::text,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  fault text collate "C" not null default ''::text,
  fault_told_at timestamp with time zone,
  ready boolean not null default true,
  constraint device_carriers_address_hash_key UNIQUE (address_hash),
  constraint device_carriers_pkey PRIMARY KEY (device)
);
CREATE INDEX device_carriers_user ON device_carriers USING btree ("user");

create table device_handouts (
  device text collate "C" not null,
  at timestamp with time zone not null,
  messages integer not null,
  line text collate "C" not null default ''::text
);
CREATE INDEX device_handouts_device ON device_handouts USING btree (device, at);

create table device_pairings (
  code_hash text collate "C" not null,
  "user" text collate "C" not null,
  name text collate "C" not null default ''::text,
  expires_at timestamp with time zone not null,
  constraint device_pairings_pkey PRIMARY KEY (code_hash)
);

create table device_silences (
  device text collate "C" not null,
  "user" text collate "C" not null,
  state text collate "C" not null,
  silent_since text collate "C" not null,
  changed_at timestamp with time zone not null default now(),
  told_at timestamp with time zone,
  mailed_at timestamp with time zone,
  constraint device_silences_pkey PRIMARY KEY (device),
  constraint device_silences_state_check CHECK (state = ANY (ARRAY['silent'::text, 'told'::text, 'back'::text, 'over'::text]))
);

create table device_streams (
  device text collate "C" not null,
  until timestamp with time zone not null,
  constraint device_streams_pkey PRIMARY KEY (device)
);

create table device_watch (
  is_only boolean not null default true,
  reachable_since timestamp with time zone not null default now(),
  looked_at timestamp with time zone not null default now(),
  constraint device_watch_is_only_check CHECK (is_only),
  constraint device_watch_pkey PRIMARY KEY (is_only)
);

create table devices (
  id text collate "C" not null,
  email text collate "C" not null default ''::text,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  phone text collate "C" not null default ''::text,
  enabled boolean not null default false,
  daily_limit double precision not null default 0,
  per_minute double precision not null default 0,
  sims json,
  addresses text collate "C" not null default ''::text,
  push json,
  password text collate "C" not null default ''::text,
  "tokenKey" text collate "C" not null default ''::text,
  "emailVisibility" boolean not null default false,
  verified boolean not null default false,
  platform text collate "C" not null default ''::text,
  last_seen pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint devices__rowid_key UNIQUE (_rowid),
  constraint devices_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_devices_user ON devices USING btree ("user");
CREATE UNIQUE INDEX "idx_tokenKey_devices" ON devices USING btree ("tokenKey");
CREATE UNIQUE INDEX idx_email_devices ON devices USING btree (email) WHERE email <> ''::text;
CREATE TRIGGER sms_device_lines AFTER INSERT OR DELETE OR UPDATE OF "user", phone, sims ON devices FOR EACH ROW EXECUTE FUNCTION sms_device_lines();
CREATE TRIGGER sms_device_room AFTER UPDATE OF enabled, last_seen, per_minute, daily_limit ON devices FOR EACH ROW EXECUTE FUNCTION sms_device_room();
CREATE TRIGGER twilio_numbers_went AFTER DELETE ON devices REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION twilio_numbers_went();

create table directory_roles (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  claim text collate "C" not null default ''::text,
  value text collate "C" not null default ''::text,
  provider text collate "C" not null default ''::text,
  role text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint directory_roles__rowid_key UNIQUE (_rowid),
  constraint directory_roles_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_directory_roles_provider ON directory_roles USING btree (provider);
CREATE UNIQUE INDEX idx_directory_roles_row ON directory_roles USING btree ("user", provider, claim, value);

create table hook_calls (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  hook text collate "C" not null default ''::text,
  body text collate "C" not null default ''::text,
  error text collate "C" not null default ''::text,
  texts json,
  messages json,
  outcome text collate "C" not null default ''::text,
  created pb_date,
  _rowid bigint generated always as identity not null,
  constraint hook_calls__rowid_key UNIQUE (_rowid),
  constraint hook_calls_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_hook_calls_hook ON hook_calls USING btree (hook, created);
CREATE INDEX idx_hook_calls_user ON hook_calls USING btree ("user", created);

create table hook_once (
  hook text collate "C" not null,
  key text collate "C" not null,
  until timestamp with time zone not null,
  constraint hook_once_pkey PRIMARY KEY (hook, key)
);
CREATE INDEX hook_once_until ON hook_once USING btree (until);

create table hook_windows (
  hook text collate "C" not null,
  began timestamp with time zone not null,
  sent integer not null,
  held integer not null default 0,
  summary text[] collate "C" not null default '{}'::text[],
  constraint hook_windows_pkey PRIMARY KEY (hook)
);

create table hooks (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  enabled boolean not null default false,
  secret text collate "C" not null default ''::text,
  template text collate "C" not null default ''::text,
  recipients json,
  groups text[] collate "C" not null default '{}'::text[],
  recipients_from text collate "C" not null default ''::text,
  pictures_from text collate "C" not null default ''::text,
  line text collate "C" not null default ''::text,
  once_key text collate "C" not null default ''::text,
  once_minutes double precision not null default 0,
  resolved_when text collate "C" not null default ''::text,
  send_when text collate "C" not null default ''::text,
  quiet_from text collate "C" not null default ''::text,
  quiet_to text collate "C" not null default ''::text,
  max_parts double precision not null default 0,
  rate double precision not null default 0,
  addresses text collate "C" not null default ''::text,
  signing_secret text collate "C" not null default ''::text,
  label text collate "C" not null default ''::text,
  preset text collate "C" not null default ''::text,
  kind text collate "C" not null default ''::text,
  resolved text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint hooks__rowid_key UNIQUE (_rowid),
  constraint hooks_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_hooks_user ON hooks USING btree ("user");
CREATE UNIQUE INDEX idx_hooks_secret ON hooks USING btree (secret) WHERE secret <> ''::text;
CREATE TRIGGER senders_of_hooks AFTER INSERT OR UPDATE OF name ON hooks FOR EACH ROW EXECUTE FUNCTION senders_noted('hook');

create table inbox_views (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  author text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  shared boolean not null default false,
  assignee text collate "C" not null default ''::text,
  labels json,
  state text collate "C" not null default ''::text,
  sort text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint inbox_views__rowid_key UNIQUE (_rowid),
  constraint inbox_views_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_inbox_views_user ON inbox_views USING btree ("user");

create table labels (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  color text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint labels__rowid_key UNIQUE (_rowid),
  constraint labels_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX idx_labels_user_name ON labels USING btree ("user", lower(name COLLATE "C"));

create table line_costs (
  line text collate "C" not null,
  month text collate "C" not null,
  "user" text collate "C" not null,
  texts integer not null default 0,
  cost numeric not null default 0,
  stopped_at timestamp with time zone,
  constraint line_costs_pkey PRIMARY KEY (line, month)
);
CREATE INDEX line_costs_user ON line_costs USING btree ("user", month);

create table line_recipients (
  line text collate "C" not null,
  month text collate "C" not null,
  number text collate "C" not null,
  texts integer not null,
  constraint line_recipients_pkey PRIMARY KEY (line, month, number)
);

create table line_use (
  line text collate "C" not null,
  day text collate "C" not null default ''::text,
  day_texts integer not null default 0,
  month text collate "C" not null default ''::text,
  month_texts integer not null default 0,
  recipients integer not null default 0,
  turn bigint not null default 0,
  failures integer not null default 0,
  failing_told_at timestamp with time zone,
  constraint line_use_pkey PRIMARY KEY (line)
);

create table lines (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  device text collate "C" not null default ''::text,
  slot double precision not null default 0,
  number text collate "C" not null default ''::text,
  carrier text collate "C" not null default ''::text,
  country text collate "C" not null default ''::text,
  label text collate "C" not null default ''::text,
  enabled boolean not null default false,
  present boolean not null default false,
  per_minute double precision not null default 0,
  daily_limit double precision not null default 0,
  monthly_limit double precision not null default 0,
  monthly_recipients double precision not null default 0,
  prefixes text collate "C" not null default ''::text,
  prices json,
  monthly_budget text collate "C" not null default ''::text,
  failing_since pb_date,
  mms text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint lines__rowid_key UNIQUE (_rowid),
  constraint lines_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_lines_user ON lines USING btree ("user");
CREATE UNIQUE INDEX idx_lines_device_slot ON lines USING btree (device, slot);
CREATE TRIGGER sms_line_room AFTER INSERT OR DELETE OR UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION sms_line_room();

create table member_invitations (
  id text collate "C" not null,
  account text collate "C" not null default ''::text,
  email text collate "C" not null default ''::text,
  invited_by text collate "C" not null default ''::text,
  hash text collate "C" not null default ''::text,
  role text collate "C" not null default ''::text,
  expires pb_date,
  created pb_date,
  _rowid bigint generated always as identity not null,
  constraint member_invitations__rowid_key UNIQUE (_rowid),
  constraint member_invitations_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_member_invitations_account ON member_invitations USING btree (account);
CREATE UNIQUE INDEX idx_member_invitations_hash ON member_invitations USING btree (hash);

create table members (
  id text collate "C" not null,
  account text collate "C" not null default ''::text,
  member text collate "C" not null default ''::text,
  notify_from text collate "C" not null default ''::text,
  notify_to text collate "C" not null default ''::text,
  notify_zone text collate "C" not null default ''::text,
  notify_silent boolean not null default false,
  undo_seconds double precision not null default 0,
  addresses text collate "C" not null default ''::text,
  directory text collate "C" not null default ''::text,
  "tokenKey" text collate "C" not null default ''::text,
  role text collate "C" not null default ''::text,
  notify text collate "C" not null default ''::text,
  proven_until pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint members__rowid_key UNIQUE (_rowid),
  constraint members_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_members_member ON members USING btree (member);
CREATE UNIQUE INDEX idx_members_account_member ON members USING btree (account, member);
CREATE TRIGGER acting_ended_by_member AFTER DELETE OR UPDATE OF role ON members FOR EACH ROW EXECUTE FUNCTION acting_ended();
CREATE TRIGGER callers_of_members AFTER UPDATE ON members FOR EACH ROW EXECUTE FUNCTION caller_changed();
CREATE TRIGGER member_left AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION member_left();
CREATE TRIGGER member_reads_only AFTER UPDATE OF role ON members FOR EACH ROW WHEN (new.role = 'viewer'::text AND old.role <> 'viewer'::text) EXECUTE FUNCTION member_left();
CREATE TRIGGER senders_of_members AFTER INSERT ON members FOR EACH ROW EXECUTE FUNCTION senders_noted('member');

create table person_requests (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  number text collate "C" not null default ''::text,
  hash text collate "C" not null default ''::text,
  reason text collate "C" not null default ''::text,
  error text collate "C" not null default ''::text,
  progress double precision not null default 0,
  counts json,
  files text[] collate "C" not null default '{}'::text[],
  asked_by text collate "C" not null default ''::text,
  kind text collate "C" not null default ''::text,
  state text collate "C" not null default ''::text,
  expires_at pb_date,
  done_at pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint person_requests__rowid_key UNIQUE (_rowid),
  constraint person_requests_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_person_requests_expires ON person_requests USING btree (expires_at) WHERE expires_at::text <> ''::text;
CREATE INDEX idx_person_requests_user ON person_requests USING btree ("user", created);
CREATE CONSTRAINT TRIGGER _files_changed AFTER UPDATE ON person_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.files IS DISTINCT FROM new.files) EXECUTE FUNCTION _files_named('person_requests', 'b."files"');
CREATE CONSTRAINT TRIGGER _files_deleted AFTER DELETE ON person_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.files <> '{}'::text[]) EXECUTE FUNCTION _files_named('person_requests', 'b."files"');

create table push_hours (
  "user" text collate "C" not null,
  pushes integer not null,
  ends timestamp with time zone not null,
  next_at timestamp with time zone not null default now(),
  constraint push_hours_pkey PRIMARY KEY ("user")
);

create table push_subscriptions (
  id text collate "C" not null,
  "user" text collate "C" not null,
  endpoint text collate "C" not null,
  keys json not null,
  user_agent text collate "C" not null,
  created timestamp with time zone not null default now(),
  failures integer not null default 0,
  sender text collate "C" not null default ''::text,
  constraint push_subscriptions_pkey PRIMARY KEY (id)
);
CREATE INDEX push_subscriptions_user ON push_subscriptions USING btree ("user", created);

create table reply_mails (
  "user" text collate "C" not null,
  told_until pb_date not null,
  next_at timestamp with time zone not null,
  constraint reply_mails_pkey PRIMARY KEY ("user")
);

create table senders (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  kind text collate "C" not null default ''::text,
  _rowid bigint generated always as identity not null,
  constraint senders__rowid_key UNIQUE (_rowid),
  constraint senders_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_senders_user ON senders USING btree ("user");

create table sms_dispatch (
  message text collate "C" not null,
  "user" text collate "C" not null,
  device text collate "C" not null default ''::text,
  pinned boolean not null default false,
  state text collate "C" not null,
  period text collate "C" not null,
  attempt integer not null default 0,
  lease_until timestamp with time zone,
  wake_at timestamp with time zone,
  wakes integer not null default 0,
  due_at timestamp with time zone,
  expires_at timestamp with time zone,
  priority smallint not null default 0,
  at_least_once boolean not null default false,
  "position" bigint generated always as identity not null,
  queued_at timestamp with time zone not null default now(),
  line text collate "C" not null default ''::text,
  line_pinned boolean not null default false,
  charged text collate "C" not null default ''::text,
  cost numeric,
  quiet_zone text collate "C",
  waiting_for text collate "C" not null default ''::text,
  sealed text collate "C",
  lines text[] collate "C",
  scope json,
  refused text collate "C" not null default ''::text,
  send text collate "C" not null default ''::text,
  constraint sms_dispatch_pkey PRIMARY KEY (message),
  constraint sms_dispatch_state_check CHECK (state = ANY (ARRAY['pending'::text, 'assigned'::text, 'sending'::text]))
);
CREATE INDEX sms_dispatch_charged ON sms_dispatch USING btree ("user", charged) WHERE state = 'assigned'::text AND charged <> ''::text;
CREATE INDEX sms_dispatch_claim ON sms_dispatch USING btree (device, state, priority DESC, "position");
CREATE INDEX sms_dispatch_due ON sms_dispatch USING btree (due_at) WHERE state = 'pending'::text;
CREATE INDEX sms_dispatch_expiry ON sms_dispatch USING btree (expires_at) WHERE state <> 'sending'::text AND expires_at IS NOT NULL;
CREATE INDEX sms_dispatch_lease ON sms_dispatch USING btree (lease_until) WHERE state = 'sending'::text;
CREATE INDEX sms_dispatch_quiet ON sms_dispatch USING btree ("user", quiet_zone, message) WHERE state = 'assigned'::text AND quiet_zone IS NOT NULL;
CREATE INDEX sms_dispatch_refused ON sms_dispatch USING btree (message) WHERE refused <> ''::text;
CREATE INDEX sms_dispatch_scheduled ON sms_dispatch USING btree ("user", due_at, send, message) WHERE state = 'pending'::text AND waiting_for = ''::text;
CREATE INDEX sms_dispatch_waiting ON sms_dispatch USING btree ("user", priority DESC, "position") WHERE state = 'pending'::text AND waiting_for <> ''::text;
CREATE INDEX sms_dispatch_wake ON sms_dispatch USING btree (wake_at) WHERE state = 'assigned'::text;
CREATE TRIGGER line_freed AFTER DELETE ON sms_dispatch FOR EACH ROW WHEN (old.charged <> ''::text AND old.state <> 'sending'::text) EXECUTE FUNCTION sms_line_freed();
CREATE TRIGGER line_returned AFTER UPDATE OF state ON sms_dispatch FOR EACH ROW WHEN (new.state = 'pending'::text AND old.state <> 'pending'::text AND old.charged <> ''::text) EXECUTE FUNCTION sms_line_freed();

create table sms_events (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  message text collate "C" not null default ''::text,
  device text collate "C" not null default ''::text,
  attempt double precision not null default 0,
  detail text collate "C" not null default ''::text,
  changed_by text collate "C" not null default ''::text,
  status text collate "C" not null default ''::text,
  created pb_date,
  _rowid bigint generated always as identity not null,
  constraint sms_events__rowid_key UNIQUE (_rowid),
  constraint sms_events_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_sms_events_message ON sms_events USING btree (message, created);
CREATE INDEX idx_sms_events_user ON sms_events USING btree ("user", created);
CREATE INDEX sms_events_in_order ON sms_events USING btree ("user", _rowid NULLS FIRST);
CREATE TRIGGER sms_events_noted AFTER INSERT ON sms_events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sms_events_noted();

create table sms_idempotency (
  "user" text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  answer text not null,
  created timestamp with time zone not null default now(),
  constraint sms_idempotency_pkey PRIMARY KEY ("user", key)
);
CREATE INDEX sms_idempotency_age ON sms_idempotency USING btree (created);

create table sms_messages (
  id text collate "C" not null,
  "to" text collate "C" not null default ''::text,
  "from" text collate "C" not null default ''::text,
  body text collate "C" not null default ''::text,
  device text collate "C" not null default ''::text,
  batch_id text collate "C" not null default ''::text,
  segments double precision not null default 0,
  priority double precision not null default 0,
  sim double precision not null default 0,
  client_ref text collate "C" not null default ''::text,
  error_message text collate "C" not null default ''::text,
  line text collate "C" not null default ''::text,
  sent_by text collate "C" not null default ''::text,
  attachments text[] collate "C" not null default '{}'::text[],
  subject text collate "C" not null default ''::text,
  "user" text collate "C" not null default ''::text,
  status text collate "C" not null default ''::text,
  message_type text collate "C" not null default ''::text,
  scheduled_at pb_date,
  expires_at pb_date,
  guarantee text collate "C" not null default ''::text,
  sent_at pb_date,
  delivered_at pb_date,
  waiting_for text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint sms_messages__rowid_key UNIQUE (_rowid),
  constraint sms_messages_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02, fillfactor=70);
CREATE INDEX idx_sms_messages_batch ON sms_messages USING btree (batch_id);
CREATE INDEX idx_sms_messages_device ON sms_messages USING btree (device);
CREATE INDEX idx_sms_messages_user_created ON sms_messages USING btree ("user", created);
CREATE INDEX sms_messages_body_trigrams ON sms_messages USING gin (body pocketsms_extensions.gin_trgm_ops);
CREATE INDEX sms_messages_by_number ON sms_messages USING btree ("to", _rowid, "user");
CREATE INDEX sms_messages_by_time ON sms_messages USING btree (created DESC, _rowid);
CREATE INDEX sms_messages_from_trigrams ON sms_messages USING gin ("from" pocketsms_extensions.gin_trgm_ops);
CREATE INDEX sms_messages_in_order ON sms_messages USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX sms_messages_incoming ON sms_messages USING btree ("user", created) WHERE message_type = 'incoming'::text;
CREATE INDEX sms_messages_odd ON sms_messages USING btree ("user") WHERE pb_is_odd(body);
CREATE INDEX sms_messages_of_user_by_from ON sms_messages USING btree ("user", "from", _rowid) WHERE "from" <> ''::text;
CREATE INDEX sms_messages_of_user_by_number ON sms_messages USING btree ("user", "to", _rowid);
CREATE INDEX sms_messages_of_user_by_time ON sms_messages USING btree ("user", created DESC, _rowid);
CREATE INDEX sms_messages_to_trigrams ON sms_messages USING gin ("to" pocketsms_extensions.gin_trgm_ops);
CREATE INDEX sms_messages_with_files ON sms_messages USING btree ("user", created) WHERE attachments <> '{}'::text[];
CREATE UNIQUE INDEX idx_sms_messages_client_ref ON sms_messages USING btree ("user", client_ref) WHERE client_ref <> ''::text;
CREATE CONSTRAINT TRIGGER _files_changed AFTER UPDATE ON sms_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments IS DISTINCT FROM new.attachments) EXECUTE FUNCTION _files_named('sms_messages', 'b."attachments"');
CREATE CONSTRAINT TRIGGER _files_deleted AFTER DELETE ON sms_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments <> '{}'::text[]) EXECUTE FUNCTION _files_named('sms_messages', 'b."attachments"');
CREATE CONSTRAINT TRIGGER sms_messages_failed AFTER UPDATE ON sms_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.status = 'failed'::text AND old.status <> 'failed'::text AND new.message_type = 'outgoing'::text AND new.batch_id = ''::text) EXECUTE FUNCTION sms_conversation_failed();
CREATE CONSTRAINT TRIGGER sms_messages_refused AFTER INSERT ON sms_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.status = 'failed'::text AND new.message_type = 'outgoing'::text AND new.batch_id = ''::text) EXECUTE FUNCTION sms_conversation_failed();
CREATE TRIGGER sms_messages_brief AFTER UPDATE ON sms_messages REFERENCING OLD TABLE AS was NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION sms_messages_brief();
CREATE TRIGGER sms_messages_came AFTER INSERT ON sms_messages REFERENCING NEW TABLE AS came FOR EACH STATEMENT WHEN (current_setting('pocketsms.counted'::text, true) IS DISTINCT FROM 'yes'::text) EXECUTE FUNCTION sms_messages_came();
CREATE TRIGGER sms_messages_created AFTER INSERT ON sms_messages REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION sms_messages_changed();
CREATE TRIGGER sms_messages_emptied AFTER TRUNCATE ON sms_messages FOR EACH STATEMENT EXECUTE FUNCTION sms_messages_emptied();
CREATE TRIGGER sms_messages_moved AFTER UPDATE OF "user" ON sms_messages FOR EACH ROW WHEN (old."user" <> new."user") EXECUTE FUNCTION sms_messages_moved();
CREATE TRIGGER sms_messages_unsent AFTER INSERT OR UPDATE ON sms_messages FOR EACH ROW WHEN (new.status = 'failed'::text AND new.message_type = 'outgoing'::text AND new.attachments <> '{}'::text[]) EXECUTE FUNCTION sms_files_unsent();
CREATE TRIGGER sms_messages_updated AFTER UPDATE ON sms_messages REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION sms_messages_changed();
CREATE TRIGGER sms_messages_went AFTER DELETE ON sms_messages REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION sms_messages_went();
CREATE TRIGGER twilio_messages_went AFTER DELETE ON sms_messages REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION twilio_messages_went();

create table sms_messages_brief (
  _rowid bigint not null,
  "user" text collate "C" not null,
  message_type text collate "C" not null,
  created pb_date not null,
  status text collate "C" not null,
  constraint sms_messages_brief_pkey PRIMARY KEY ("user", status, created, _rowid) INCLUDE (message_type)
) with (autovacuum_vacuum_threshold=2000, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_threshold=2000, autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX sms_messages_brief_by_status ON sms_messages_brief USING btree (status, "user", message_type);
CREATE INDEX sms_messages_brief_by_time ON sms_messages_brief USING btree (status, created, _rowid);

create table sms_origins (
  ref text collate "C" not null,
  "user" text collate "C" not null,
  is_batch boolean not null,
  created pb_date not null,
  api text collate "C" not null,
  id text collate "C" not null,
  data json,
  told smallint not null default 0,
  constraint sms_origins_pkey PRIMARY KEY (ref)
);
CREATE INDEX sms_origins_created ON sms_origins USING btree ("user", api, created, id);
CREATE UNIQUE INDEX sms_origins_id ON sms_origins USING btree ("user", api, id);

create table sms_templates (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  body text collate "C" not null default ''::text,
  requires_consent boolean not null default false,
  attachments text[] collate "C" not null default '{}'::text[],
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint sms_templates__rowid_key UNIQUE (_rowid),
  constraint sms_templates_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_sms_templates_user ON sms_templates USING btree ("user");
CREATE CONSTRAINT TRIGGER _files_changed AFTER UPDATE ON sms_templates DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments IS DISTINCT FROM new.attachments) EXECUTE FUNCTION _files_named('sms_templates', 'b."attachments"');
CREATE CONSTRAINT TRIGGER _files_deleted AFTER DELETE ON sms_templates DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.attachments <> '{}'::text[]) EXECUTE FUNCTION _files_named('sms_templates', 'b."attachments"');
CREATE TRIGGER sms_templates_scopes_kept AFTER DELETE ON sms_templates FOR EACH ROW WHEN (old.requires_consent) EXECUTE FUNCTION scopes_kept();

create table sms_totals (
  id bigint generated always as identity not null,
  relation oid not null,
  "user" text collate "C" not null,
  messages bigint not null,
  constraint sms_totals_pkey PRIMARY KEY (id)
) with (fillfactor=50);
CREATE INDEX sms_totals_of ON sms_totals USING btree (relation, "user");

create table sms_turns (
  "user" text collate "C" not null,
  turn bigint not null default 0,
  messages bigint not null default 0,
  constraint sms_turns_pkey PRIMARY KEY ("user")
);
CREATE TRIGGER went AFTER DELETE ON sms_turns FOR EACH ROW WHEN (old.messages <> 0) EXECUTE FUNCTION sms_turns_went();

create table sms_usage (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  period text collate "C" not null default ''::text,
  used double precision not null default 0,
  quota double precision not null default 0,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint sms_usage__rowid_key UNIQUE (_rowid),
  constraint sms_usage_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX idx_sms_usage_user_period ON sms_usage USING btree ("user", period);

create table smsgate_accounts (
  "user" text collate "C" not null,
  signing_key text collate "C" not null,
  constraint smsgate_accounts_pkey PRIMARY KEY ("user")
);

create table smsgate_phones (
  device text collate "C" not null,
  "user" text collate "C" not null,
  path text collate "C" not null,
  signing_key text collate "C" not null,
  clock_ms double precision,
  room integer not null,
  narrowed_at timestamp with time zone,
  at_once integer not null default 1,
  held_until timestamp with time zone,
  missed_since timestamp with time zone,
  woken_at timestamp with time zone,
  pulled_at timestamp with time zone,
  handed_at timestamp with time zone,
  handed integer not null default 0,
  export_since timestamp with time zone,
  export_until timestamp with time zone,
  constraint smsgate_phones_path_key UNIQUE (path),
  constraint smsgate_phones_pkey PRIMARY KEY (device)
);

create table smsgate_texts (
  device text collate "C" not null,
  "user" text collate "C" not null,
  message text collate "C" not null,
  attempt integer not null,
  listed_at timestamp with time zone not null,
  is_known boolean not null default false,
  is_processed boolean not null default false,
  canceled_at timestamp with time zone,
  valid_until timestamp with time zone not null,
  constraint smsgate_texts_pkey PRIMARY KEY (device, message, attempt)
);

create table smsgate_tokens (
  id text collate "C" not null,
  "user" text collate "C" not null,
  api_key text collate "C" not null,
  scopes text[] collate "C" not null,
  created timestamp with time zone not null default now(),
  access_until timestamp with time zone not null,
  refresh_until timestamp with time zone not null,
  is_refreshed boolean not null default false,
  secret text collate "C" not null,
  constraint smsgate_tokens_pkey PRIMARY KEY (id)
);
CREATE INDEX smsgate_tokens_by_end ON smsgate_tokens USING btree (refresh_until);
CREATE INDEX smsgate_tokens_by_key ON smsgate_tokens USING btree (api_key);
CREATE INDEX smsgate_tokens_by_user ON smsgate_tokens USING btree ("user");
CREATE TRIGGER callers_of_tokens AFTER DELETE OR UPDATE ON smsgate_tokens FOR EACH ROW WHEN (old.refresh_until > now()) EXECUTE FUNCTION caller_changed();

create table twilio_answers (
  message text collate "C" not null,
  replies json,
  created timestamp with time zone not null default now(),
  constraint twilio_answers_pkey PRIMARY KEY (message)
);

create table twilio_numbers (
  device text collate "C" not null,
  sms_method text collate "C" not null,
  constraint twilio_numbers_pkey PRIMARY KEY (device),
  constraint twilio_numbers_sms_method_check CHECK (sms_method = ANY (ARRAY['GET'::text, 'POST'::text]))
);

create table user_settings (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  disabled boolean not null default false,
  account_name text collate "C" not null default ''::text,
  logo text collate "C" not null default ''::text,
  color text collate "C" not null default ''::text,
  country text collate "C" not null default ''::text,
  currency text collate "C" not null default ''::text,
  failover_minutes double precision not null default 0,
  failover_priority double precision not null default 0,
  time_zone text collate "C" not null default ''::text,
  quiet_from text collate "C" not null default ''::text,
  quiet_to text collate "C" not null default ''::text,
  reply_mail_minutes double precision not null default 0,
  notify_from text collate "C" not null default ''::text,
  notify_to text collate "C" not null default ''::text,
  notify_zone text collate "C" not null default ''::text,
  notify_silent boolean not null default false,
  undo_seconds double precision not null default 0,
  destinations text collate "C" not null default ''::text,
  code_destinations text collate "C" not null default ''::text,
  code_stopped text collate "C" not null default ''::text,
  code_approval_floor double precision not null default 0,
  code_max_per_hour double precision not null default 0,
  code_max_per_day double precision not null default 0,
  code_max_per_network double precision not null default 0,
  code_max_per_account double precision not null default 0,
  code_quota_share double precision not null default 0,
  agent_list_rows double precision not null default 0,
  short_codes boolean not null default false,
  opt_out_chosen boolean not null default false,
  session_days double precision not null default 0,
  keep_incoming double precision not null default 0,
  keep_outgoing double precision not null default 0,
  keep_files double precision not null default 0,
  keep_consents double precision not null default 0,
  line_choice text collate "C" not null default ''::text,
  second_factor_from pb_date,
  quiet_days text[] collate "C" not null default '{}'::text[],
  assign text collate "C" not null default ''::text,
  notify text collate "C" not null default ''::text,
  code_counted_from pb_date,
  opt_out_languages text[] collate "C" not null default '{}'::text[],
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint user_settings__rowid_key UNIQUE (_rowid),
  constraint user_settings_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX idx_user_settings_user ON user_settings USING btree ("user");
CREATE CONSTRAINT TRIGGER _files_changed AFTER UPDATE ON user_settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.logo IS DISTINCT FROM new.logo) EXECUTE FUNCTION _files_named('user_settings', 'array[b."logo"]');
CREATE CONSTRAINT TRIGGER _files_deleted AFTER DELETE ON user_settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.logo <> ''::text) EXECUTE FUNCTION _files_named('user_settings', 'array[b."logo"]');
CREATE TRIGGER user_settings_narrowed_insert AFTER INSERT ON user_settings FOR EACH ROW WHEN (new.destinations <> ''::text) EXECUTE FUNCTION sms_destinations_narrowed('account');
CREATE TRIGGER user_settings_narrowed_update AFTER UPDATE OF destinations ON user_settings FOR EACH ROW WHEN (new.destinations <> old.destinations AND new.destinations <> ''::text) EXECUTE FUNCTION sms_destinations_narrowed('account');

create table users (
  id text collate "C" not null,
  name text collate "C" not null default ''::text,
  monthly_quota double precision not null default 0,
  member_only boolean not null default false,
  password text collate "C" not null default ''::text,
  "tokenKey" text collate "C" not null default ''::text,
  email text collate "C" not null default ''::text,
  "emailVisibility" boolean not null default false,
  verified boolean not null default false,
  language text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint users__rowid_key UNIQUE (_rowid),
  constraint users_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX "idx_tokenKey__pb_users_auth_" ON users USING btree ("tokenKey");
CREATE UNIQUE INDEX idx_email__pb_users_auth_ ON users USING btree (email) WHERE email <> ''::text;
CREATE TRIGGER acting_ended_by_user AFTER UPDATE OF "tokenKey" ON users FOR EACH ROW WHEN (old."tokenKey" <> new."tokenKey") EXECUTE FUNCTION acting_ended();
CREATE TRIGGER senders_of_users AFTER INSERT OR UPDATE OF name, email ON users FOR EACH ROW EXECUTE FUNCTION senders_noted('owner');

create table verifications (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  service text collate "C" not null default ''::text,
  "to" text collate "C" not null default ''::text,
  country text collate "C" not null default ''::text,
  attempts double precision not null default 0,
  sends double precision not null default 0,
  message text collate "C" not null default ''::text,
  channel text collate "C" not null default ''::text,
  status text collate "C" not null default ''::text,
  expires_at pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint verifications__rowid_key UNIQUE (_rowid),
  constraint verifications_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_verifications_message ON verifications USING btree (message) WHERE message <> ''::text;
CREATE INDEX idx_verifications_pending ON verifications USING btree (expires_at) WHERE status = 'pending'::text;
CREATE INDEX idx_verifications_service_to ON verifications USING btree (service, "to", created);
CREATE INDEX idx_verifications_user_country ON verifications USING btree ("user", country, created);
CREATE INDEX idx_verifications_user_created ON verifications USING btree ("user", created);

create table verify_services (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  name text collate "C" not null default ''::text,
  templates json,
  default_locale text collate "C" not null default ''::text,
  code_length double precision not null default 0,
  ttl double precision not null default 0,
  domain text collate "C" not null default ''::text,
  app_hash text collate "C" not null default ''::text,
  api_key text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint verify_services__rowid_key UNIQUE (_rowid),
  constraint verify_services_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX idx_verify_services_user_name ON verify_services USING btree ("user", name);

create table webhook_deliveries (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  webhook text collate "C" not null default ''::text,
  event_id text collate "C" not null default ''::text,
  event text collate "C" not null default ''::text,
  message text collate "C" not null default ''::text,
  attempts double precision not null default 0,
  response_status double precision not null default 0,
  response_body text collate "C" not null default ''::text,
  latency_ms double precision not null default 0,
  status text collate "C" not null default ''::text,
  next_attempt_at pb_date,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint webhook_deliveries__rowid_key UNIQUE (_rowid),
  constraint webhook_deliveries_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02, fillfactor=50);
CREATE INDEX idx_webhook_deliveries_user ON webhook_deliveries USING btree ("user", created);
CREATE INDEX idx_webhook_deliveries_webhook ON webhook_deliveries USING btree (webhook, created);
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries USING btree ("user", _rowid NULLS FIRST);
CREATE INDEX webhook_deliveries_message ON webhook_deliveries USING btree (message);

create table webhook_dispatch (
  delivery text collate "C" not null,
  webhook text collate "C" not null,
  "user" text collate "C" not null,
  due_at timestamp with time zone not null default now(),
  handed_at timestamp with time zone,
  event text collate "C",
  target json,
  constraint webhook_dispatch_pkey PRIMARY KEY (delivery)
);
CREATE INDEX webhook_dispatch_due ON webhook_dispatch USING btree ("user", webhook, due_at) WHERE handed_at IS NULL;
CREATE INDEX webhook_dispatch_handed ON webhook_dispatch USING btree ("user", webhook) WHERE handed_at IS NOT NULL;
CREATE INDEX webhook_dispatch_tests ON webhook_dispatch USING btree (webhook) WHERE event = 'webhook.test'::text;

create table webhook_headers (
  delivery text collate "C" not null,
  headers json not null,
  constraint webhook_headers_pkey PRIMARY KEY (delivery)
);

create table webhook_payloads (
  delivery text collate "C" not null,
  at timestamp with time zone not null,
  image json not null,
  target json,
  constraint webhook_payloads_pkey PRIMARY KEY (delivery)
);

create table webhook_rotations (
  webhook text collate "C" not null,
  until timestamp with time zone not null,
  constraint webhook_rotations_pkey PRIMARY KEY (webhook)
);

create table webhooks (
  id text collate "C" not null,
  "user" text collate "C" not null default ''::text,
  url text collate "C" not null default ''::text,
  secret text collate "C" not null default ''::text,
  previous_secret text collate "C" not null default ''::text,
  enabled boolean not null default false,
  api_key text collate "C" not null default ''::text,
  device text collate "C" not null default ''::text,
  smsgate_id text collate "C" not null default ''::text,
  lines text[] collate "C" not null default '{}'::text[],
  numbers text collate "C" not null default ''::text,
  headers json,
  body json,
  target text collate "C" not null default ''::text,
  token text collate "C" not null default ''::text,
  service_token text collate "C" not null default ''::text,
  events text[] collate "C" not null default '{}'::text[],
  format text collate "C" not null default ''::text,
  smsgate_event text collate "C" not null default ''::text,
  preset text collate "C" not null default ''::text,
  method text collate "C" not null default ''::text,
  created pb_date,
  updated pb_date,
  _rowid bigint generated always as identity not null,
  constraint webhooks__rowid_key UNIQUE (_rowid),
  constraint webhooks_pkey PRIMARY KEY (id)
) with (autovacuum_analyze_threshold=250, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX idx_webhooks_user ON webhooks USING btree ("user");
CREATE UNIQUE INDEX idx_webhooks_smsgate ON webhooks USING btree ("user", smsgate_id) WHERE smsgate_id <> ''::text;

-- Views: their queries are in sql/migrations

create view _collections_listed (
  id text,
  name text,
  type text,
  created text,
  updated text,
  system boolean,
  _rowid bigint
);

-- Operators

create operator % (double precision, double precision): pb_modulo
create operator <> (boolean, integer): pb_differ
create operator = (boolean, integer): pb_equal
create operator @-> (json, integer): public.pb_arrow
create operator @-> (json, text): public.pb_arrow
create operator @-> (text[], integer): public.pb_arrow
create operator @-> (text[], text): public.pb_arrow
create operator @->> (json, integer): public.pb_arrow_text
create operator @->> (json, text): public.pb_arrow_text
create operator @->> (text[], integer): public.pb_arrow_text
create operator @->> (text[], text): public.pb_arrow_text

-- Functions: their definitions are in sql/functions

create function _announce(channel text, payload text) returns void volatile
create function _audit_queued() returns trigger volatile
create function _changes_announce() returns trigger volatile
create function _changes_note() returns trigger volatile
create function _file_contents_drop(contents bigint[]) returns void volatile set enable_seqscan=off, enable_hashjoin=off, enable_mergejoin=off
create function _file_contents_unnamed() returns trigger volatile
create function _files_named() returns trigger volatile
create function _jobs_added() returns trigger volatile
create function account_name(owner text) returns text stable
create function acting_ended() returns trigger volatile
create function alarms_check(silent_seconds double precision) returns void volatile
create function alarms_is_silent(device_id text, seen text, push json) returns boolean stable
create function alarms_name(name text, phone text, id text) returns text immutable
create function alarms_silences(seen_since text) returns void volatile
create function alarms_waiting(of_user text, of_device text) returns bigint stable
create function auth_give_back(keys text[], exempt text, days integer) returns void volatile
create function auth_note_refused_address(account text, collection text, record text, label text, address text, network text) returns void volatile
create function auth_take_tries(keys text[], limits integer[], seconds integer, exempt text) returns integer volatile
create function caller_changed() returns trigger volatile
create function campaign_key(owner text, sender text, user_version text) returns text stable
create function campaigns_unsettled() returns trigger volatile
create function code_take(keys text[], amounts integer[], limits integer[], seconds integer[], OUT place integer, OUT wait integer) returns record volatile
create function codes_few_right(of_user text, to_country text, of_pages boolean) returns boolean stable
create function codes_stop(of_user text, to_country text) returns boolean volatile
create function consent_answered(owner text, number text, reply text) returns TABLE("group" text, shown text) stable
create function consent_is_late(owner text, number text, "group" text, purpose text, message text, given text) returns boolean stable
create function consent_left(owner text, numbers text[], groups text[]) returns text[] stable
create function consent_missing(owner text, numbers text[], groups text[]) returns text[] stable
create function consent_question(state text) returns text stable
create function consent_rejoined(owner text, person text, stopped_at text) returns boolean stable
create function consent_required(owner text, template text, groups text[]) returns boolean stable
create function consent_states_kept() returns trigger volatile
create function consent_stopped(owner text, numbers text[]) returns text[] stable set enable_seqscan=off, plan_cache_mode=force_generic_plan
create function consent_undone(owner text, of_number text) returns void volatile
create function consents_applied() returns trigger volatile
create function consents_kept() returns trigger volatile
create function contact_groups_named() returns trigger volatile
create function contacts_consented() returns trigger volatile
create function contacts_stopped() returns trigger volatile
create function conversations_assign(of_user text, numbers text[]) returns void volatile
create function end_unprotected(accounts text[]) returns void volatile
create function factor_changed() returns trigger volatile
create function has_factor(person text) returns boolean stable
create function instr(t text, part text) returns integer immutable
create function jobs_lease(of_kind text, first text, room integer, busy text[], seconds double precision) returns TABLE(id bigint, holder text, key text, payload text, runs integer, attempts integer, "ageMs" double precision) volatile
create function json_array_length(list text[]) returns integer immutable
create function json_each(v text) returns TABLE(key text, value text, type text, id bigint) immutable
create function json_extract(v json, path text) returns text immutable
create function json_extract(t text, path text) returns text immutable
create function key_version(k anyelement) returns text immutable
create function labels_add(owner text, numbers text[], label text) returns void volatile
create function labels_joined(own text[], other text[]) returns text[] immutable
create function labels_of_contact() returns trigger volatile
create function labels_of_conversation() returns trigger volatile
create function lacks_factor(account text, person text) returns boolean stable
create function member_left() returns trigger volatile
create function pb_add_months(ms bigint, months integer) returns bigint immutable
create function pb_arrow(v json, place integer) returns json immutable
create function pb_arrow(v json, label text) returns json immutable
create function pb_arrow(list text[], place integer) returns json stable
create function pb_arrow(list text[], label text) returns json stable
create function pb_arrow_text(v json, place integer) returns text immutable
create function pb_arrow_text(v json, label text) returns text immutable
create function pb_arrow_text(list text[], place integer) returns text stable
create function pb_arrow_text(list text[], label text) returns text stable
create function pb_bool(b boolean) returns boolean immutable
create function pb_bool(x double precision) returns boolean immutable
create function pb_bool(v json) returns boolean immutable
create function pb_bool(t text) returns boolean immutable
create function pb_bool(list text[]) returns boolean immutable
create function pb_clock_ms(t text) returns bigint immutable
create function pb_count_true(n bigint, b boolean) returns bigint immutable
create function pb_day(x double precision) returns text stable
create function pb_day(t text) returns text stable
create function pb_day_time(x double precision) returns text stable
create function pb_day_time(t text) returns text stable
create function pb_differ(b boolean, n integer) returns boolean immutable
create function pb_digits(n integer, places integer) returns text immutable
create function pb_equal(b boolean, n integer) returns boolean immutable
create function pb_float(t text) returns double precision immutable strict
create function pb_integer(n bigint) returns bigint immutable
create function pb_integer(b boolean) returns bigint immutable
create function pb_integer(x double precision) returns bigint immutable
create function pb_integer(v json) returns bigint immutable
create function pb_integer(n numeric) returns bigint immutable
create function pb_integer(t text) returns bigint immutable
create function pb_integer(list text[]) returns bigint immutable
create function pb_is_odd(t text) returns boolean immutable
create function pb_is_set(value json) returns boolean immutable
create function pb_is_stored_date(t text) returns boolean immutable
create function pb_json(v anyelement) returns json stable strict
create function pb_json(b boolean) returns json immutable strict
create function pb_json(t text) returns json immutable strict
create function pb_json_at(v json, path text) returns json immutable
create function pb_json_length(v json) returns integer immutable
create function pb_json_number(v json) returns double precision immutable
create function pb_json_numeric(v json) returns double precision immutable
create function pb_json_of(v anyelement) returns json stable
create function pb_json_of(b boolean) returns json immutable
create function pb_json_of(v json) returns json immutable
create function pb_json_of(t text) returns json immutable
create function pb_json_of(list text[]) returns json stable
create function pb_json_path(label text) returns text immutable
create function pb_json_rank(v json) returns integer immutable
create function pb_json_string(v json) returns text immutable
create function pb_json_text(v json) returns text immutable
create function pb_julian_ms(y integer, m integer, d integer) returns bigint immutable
create function pb_known_zone(zone text) returns text stable
create function pb_length(v anyelement) returns integer stable
create function pb_length(t text) returns integer immutable
create function pb_modulo(x double precision, y double precision) returns double precision immutable
create function pb_name_key(name text) returns text immutable
create function pb_new_id() returns text volatile
create function pb_number_text(x double precision) returns text immutable
create function pb_numeric(t text) returns double precision immutable
create function pb_plain(t text) returns text immutable
create function pb_printf(format text, VARIADIC given text[] DEFAULT '{}'::text[]) returns text immutable
create function pb_printf_integer(kind text, n bigint, flags text, places integer) returns text immutable
create function pb_printf_real(kind text, x double precision, flags text, places integer) returns text immutable
create function pb_real(n bigint) returns double precision immutable
create function pb_real(b boolean) returns double precision immutable
create function pb_real(x double precision) returns double precision immutable
create function pb_real(v json) returns double precision immutable
create function pb_real(n numeric) returns double precision immutable
create function pb_real(t text) returns double precision immutable
create function pb_real(list text[]) returns double precision immutable
create function pb_real_text(x double precision) returns text immutable
create function pb_renamed_zones() returns jsonb immutable
create function pb_round(x double precision, places bigint DEFAULT 0) returns double precision immutable strict
create function pb_round(t text, places bigint DEFAULT 0) returns double precision immutable
create function pb_strftime(format text, value double precision, VARIADIC modifiers text[] DEFAULT '{}'::text[]) returns text stable
create function pb_strftime(format text, value text, VARIADIC modifiers text[] DEFAULT '{}'::text[]) returns text stable
create function pb_substr(v anyelement, place bigint) returns text stable
create function pb_substr(v anyelement, place bigint, size bigint) returns text stable
create function pb_substr(t text, place bigint) returns text immutable
create function pb_substr(t text, place bigint, size bigint) returns text immutable
create function pb_text(v anyelement) returns text stable
create function pb_text(n bigint) returns text immutable
create function pb_text(b boolean) returns text immutable
create function pb_text(x double precision) returns text immutable
create function pb_text(v json) returns text immutable
create function pb_text(n numeric) returns text immutable
create function pb_text(t text) returns text immutable
create function pb_text(list text[]) returns text stable
create function pb_text(at timestamp with time zone) returns text stable strict
create function pb_time(t text, OUT ms bigint, OUT raw double precision) returns record stable
create function pb_time_part(letter text, ms bigint) returns text immutable
create function pb_time_shift(ms bigint, raw double precision, modifier text, n integer) returns bigint stable
create function pb_total_true(x double precision, b boolean) returns double precision immutable
create function pb_truth(b boolean) returns boolean immutable
create function pb_truth(x double precision) returns boolean immutable
create function pb_truth(t text) returns boolean immutable
create function pb_ymd(ms bigint, OUT y integer, OUT m integer, OUT d integer) returns record immutable
create function person_hash(owner text, number text) returns text stable
create function person_hide(value json, number text, name text) returns json stable
create function person_hide(value text, number text, name text) returns text stable
create function person_hide_own(value json, number text, name text) returns json stable
create function person_stopped(owner text, numbers text[]) returns text[] stable
create function proof_is_over(proven_until text) returns boolean stable
create function push_queue(owner text, items text[]) returns void volatile
create function retention_periods(owner text, server double precision) returns TABLE(incoming double precision, outgoing double precision, files double precision, consents double precision) stable
create function scopes_kept() returns trigger volatile set plan_cache_mode=force_custom_plan
create function senders_noted() returns trigger volatile
create function session_idle_days(person text) returns integer stable
create function session_start(session_id text, of_collection text, of_record text, hash text, expires double precision, from_ip text, agent text, by_method text) returns boolean volatile
create function sms_accept(moment text, since text, default_quota double precision, sticky text, owners text[], recipients text[], requests text[], OUT outcomes text[], OUT known text[], OUT wake text[]) returns record volatile set plan_cache_mode=force_generic_plan
create function sms_announce_canceled(device text, message text, attempt integer) returns void volatile
create function sms_assign(owner text, since text, at timestamp with time zone, sticky text, is_new boolean, texts json, is_trial boolean DEFAULT false) returns TABLE(n integer, line text, device text, number text, charged text, cost numeric, room_at timestamp with time zone, reason text) volatile
create function sms_begin(of_device text, of_message text, of_attempt integer, begun timestamp with time zone, formers timestamp with time zone[], is_fresh boolean) returns text volatile
create function sms_change(texts text[], scheduled text, expires text, ttl integer, new_body text, new_segments double precision, new_priority integer, sender json, may_cancel boolean, act text, record text) returns TABLE(message text, what text, unfit boolean, refusal text, due timestamp with time zone, ends timestamp with time zone, next_priority integer, next_segments double precision) volatile set plan_cache_mode=force_custom_plan
create function sms_charge_lines(owner text, at timestamp with time zone, lines anyarray) returns void volatile
create function sms_choose_line(lines anyarray, asked record, settings record, sticky_line text, at timestamp with time zone, is_new boolean, has_waiting boolean, phones_down_at timestamp with time zone, OUT best integer, OUT best_score integer, OUT equals integer, OUT room_at timestamp with time zone, OUT stopped integer[]) returns record volatile
create function sms_claim(asks json) returns TABLE(number integer, id text, attempt integer, "to" text, body text, sim double precision, priority double precision, expires_at text, lease_until text, sealed text, subject text, attachments text[]) volatile
create function sms_contact_join(owner text, stored text, phone text) returns void volatile
create function sms_conversation_answered(owner text, moment text, recipient text, content text, message_id text) returns void volatile
create function sms_conversation_failed() returns trigger volatile
create function sms_conversation_heard(owner text, phone text) returns void volatile
create function sms_conversation_join(owner text, stored text, phone text) returns boolean volatile
create function sms_conversation_last(owner text, other text) returns TABLE(id text, body text, at text, type text, device text, heard text, name text) stable
create function sms_conversation_named() returns trigger volatile
create function sms_conversation_rename(owner text, phone text, contact_name text) returns void volatile
create function sms_count(counted oid, owner text, more bigint) returns void volatile
create function sms_count_all() returns void volatile
create function sms_counted(owner text) returns bigint stable
create function sms_destinations_narrowed() returns trigger volatile set plan_cache_mode=force_custom_plan
create function sms_device_lines() returns trigger volatile
create function sms_device_room() returns trigger volatile
create function sms_device_room_at(device_id text, per_minute double precision, daily_limit double precision) returns timestamp with time zone stable
create function sms_due_scheduled(online_seconds double precision, room integer) returns text[] volatile set plan_cache_mode=force_custom_plan
create function sms_due_waiting(online_seconds double precision, room integer) returns text[] volatile set plan_cache_mode=force_custom_plan
create function sms_end_refused(texts text[], are_unsent boolean DEFAULT false, ended_by text DEFAULT ''::text) returns TABLE(device text) volatile set plan_cache_mode=force_custom_plan
create function sms_estimate(owner text, since text, at timestamp with time zone, sticky text, key text, of_device text, line_id text, line_number text, of_sim integer, of_priority integer, texts json) returns TABLE(line text, messages integer, segments integer, cost text) stable set plan_cache_mode=force_custom_plan
create function sms_events_noted() returns trigger volatile
create function sms_fail(texts text[], reason text, ended_by text) returns TABLE("user" text, period text, messages bigint) volatile
create function sms_failure(reason text, sent_at text) returns text immutable
create function sms_files_unsent() returns trigger volatile
create function sms_hold(batches text[], owner text, detail text, changed_by text, room integer) returns integer volatile set plan_cache_mode=force_custom_plan
create function sms_is_below_limits(device_id text, per_minute double precision, daily_limit double precision) returns boolean stable
create function sms_is_destination(destinations text, number text) returns boolean immutable
create function sms_is_failing(failing_since text) returns boolean stable
create function sms_judge(owner text, since text, account record, requests anyarray, OUT outcomes text[], OUT known text[], OUT accepted anyarray, OUT spent double precision, OUT is_special boolean) returns record stable
create function sms_last_leaves_at(owner text, at timestamp with time zone, more integer, of_device text, of_line text) returns timestamp with time zone stable
create function sms_limits_of(owner text, user_version text, key_id text, key_version text, sender text, OUT stale boolean, OUT destinations text, OUT key_destinations text, OUT key_lines text[]) returns record stable
create function sms_line_count(of_line text, owner text) returns void volatile
create function sms_line_freed() returns trigger volatile
create function sms_line_outcomes(line_id text, has_sent boolean, failed integer) returns void volatile
create function sms_line_refund(of_line text, charged text, recipient text, refunded numeric, owner text) returns void volatile
create function sms_line_room() returns trigger volatile
create function sms_lines_changed(what text, ids text[]) returns void volatile
create function sms_lines_keep(device_id text, owner text, phone text, sims json, is_new boolean) returns void volatile
create function sms_lines_near_limits(share double precision) returns TABLE(line text, device text, "user" text, is_full boolean) stable
create function sms_local_day(owner text, at timestamp with time zone) returns text stable
create function sms_look_for_room(owner text) returns void volatile
create function sms_may(act text, destinations text, key_destinations text, key_lines text[], numbers text[], device text, line text, sim integer, kept text[]) returns text stable
create function sms_may_become(status text, next text) returns boolean immutable
create function sms_messages_brief() returns trigger volatile set enable_seqscan=off, enable_nestloop=off
create function sms_messages_came() returns trigger volatile
create function sms_messages_changed() returns trigger volatile
create function sms_messages_emptied() returns trigger volatile
create function sms_messages_moved() returns trigger volatile
create function sms_messages_went() returns trigger volatile set enable_seqscan=off
create function sms_named_lines(owner text, line_id text, line_number text, device_id text, slot integer) returns TABLE(line text, device text) stable
create function sms_phones_down_at(owner text, minutes double precision) returns timestamp with time zone stable
create function sms_planned_change(texts text[], scheduled text, expires text, ttl integer, new_body text, new_segments double precision, new_priority integer, sender json, may_cancel boolean) returns TABLE(message text, device text, sent_by text, due timestamp with time zone, ends timestamp with time zone, next_priority integer, waits_for text, next_body text, next_segments double precision, unfit boolean, refusal text, what text) stable set plan_cache_mode=force_custom_plan
create function sms_price(prices json, number text, segments numeric) returns numeric immutable
create function sms_queued_devices() returns TABLE(device text) stable
create function sms_quiet_until(starts text, ends text, days text[], zone text, at timestamp with time zone) returns timestamp with time zone stable
create function sms_quiet_zones(owner text) returns text[] stable
create function sms_rank_line(owner text, device_id text, platform text, number text) returns integer stable
create function sms_ranked_lines(owner text, since text) returns TABLE(line text, device text, slot integer, number text, rank integer, is_free boolean, is_plain boolean) stable
create function sms_read_lines(owner text, since text, at timestamp with time zone, zone text, INOUT lines anyarray, OUT free integer[], OUT last_turn bigint, OUT has_limits boolean, OUT has_reserve boolean) returns record volatile
create function sms_reassign(texts text[], whys text[], online_seconds double precision, is_charged boolean) returns TABLE(device text) volatile
create function sms_reassign_unclaimed(online_seconds double precision, room integer) returns TABLE(device text) volatile set plan_cache_mode=force_custom_plan
create function sms_recall(texts text[], reason text, by text) returns integer volatile set plan_cache_mode=force_custom_plan
create function sms_refund(owner text, period text, messages bigint) returns void volatile
create function sms_refusals(owner text, numbers text[], scope text, sender text) returns text[] stable set enable_seqscan=off, plan_cache_mode=force_generic_plan
create function sms_release(texts text[], online_seconds double precision, sticky text) returns TABLE(device text) volatile set plan_cache_mode=force_custom_plan
create function sms_release_held(batches text[], owner text, detail text, changed_by text, room integer) returns integer volatile set plan_cache_mode=force_custom_plan
create function sms_report(reports json) returns TABLE(number integer, status text, is_applied boolean, line text) volatile
create function sms_return_stale(room integer) returns void volatile set plan_cache_mode=force_custom_plan
create function sms_rewake(room integer) returns TABLE(device text) volatile set plan_cache_mode=force_custom_plan
create function sms_sim_list(sims json) returns TABLE(slot integer, number text, carrier text, country text) immutable
create function sms_store(moment text, since text, sticky text, drafts anyarray, special text[], has_quiet boolean, has_answer boolean, has_origin boolean, has_fault boolean) returns text[] volatile
create function sms_take_back(texts text[], dues timestamp with time zone[], waits_for text, why text) returns void volatile
create function sms_takes_from(owner text, since text, not_by text) returns double precision stable
create function sms_texts_unwanted() returns trigger volatile set plan_cache_mode=force_custom_plan
create function sms_time_zone(owner text) returns text stable
create function sms_turns_went() returns trigger volatile
create function sms_unknown_zones() returns text stable
create function sms_wake_interval() returns interval immutable
create aggregate sum(boolean) returns bigint
create aggregate total(boolean) returns double precision
create aggregate total(double precision) returns double precision
create function twilio_messages_went() returns trigger volatile
create function twilio_numbers_went() returns trigger volatile
create function user_label(name text, email text) returns text immutable
create function verify_check(of_user text, named_id text, number text, of_service text, code_hash text, max_attempts integer) returns TABLE(id text, "to" text, service text, channel text, status text, attempts double precision, expires_at text, created text, updated text) volatile
create function verify_end(of_user text, named_id text, number text, of_service text, ended text) returns TABLE(id text, "to" text, service text, channel text, status text, attempts double precision, expires_at text, created text, updated text, message text) volatile
create function verify_named(of_user text, named_id text, number text, of_service text) returns text volatile
create function webhook_host(url text) returns text immutable
create function webhook_lease(lock integer, room integer) returns TABLE(delivery text, since text) volatile
create function webhook_queue(calls anyarray) returns void volatile
create function webhook_record(outcomes json, is_over boolean) returns SETOF text volatile
