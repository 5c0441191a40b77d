-- Sign-ins, so that an account sees where it is signed in. A new table: nothing that exists is locked.
--
-- Tokens are PocketBase's and name no session, so that none can be ended alone: `token_hash` only tells which
-- row a request belongs to. Rows go with the record, with its token key, and when their last token expires.
create table auth_sessions (
  id text collate "C" primary key,
  -- Id of the auth collection, and of the record in it.
  collection text collate "C" not null,
  record text collate "C" not null,
  -- SHA-256 of the latest token.
  token_hash text collate "C" not null,
  created timestamptz not null default now(),
  -- When its token was last refreshed.
  used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ip text collate "C" not null,
  user_agent text collate "C" not null
);
create index auth_sessions_record on auth_sessions (collection, record, created);
create index auth_sessions_expires_at on auth_sessions (expires_at);
