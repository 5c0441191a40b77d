-- Accounts of SMSGate's client API, and what it asks of phones. Adding nullable columns rewrites nothing.

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
  is_refreshed boolean not null default false
);
create index smsgate_tokens_by_user on smsgate_tokens ("user");
create index smsgate_tokens_by_key on smsgate_tokens (api_key);
create index smsgate_tokens_by_end on smsgate_tokens (refresh_until);

-- The period of which a phone is to post what it received; null: none was asked for.
alter table smsgate_phones add column export_since timestamptz, add column export_until timestamptz;
