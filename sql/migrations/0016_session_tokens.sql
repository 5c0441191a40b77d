-- Which tokens are of which session, so that one session can be ended alone. A new table; the new column has
-- no default, so the table of sessions is locked for a moment.

-- Tokens are PocketBase's and name no session. Rows go some time after their token has expired.
create table auth_session_tokens (
  -- SHA-256
  token_hash text collate "C" primary key,
  -- Its session, which may be gone.
  session text collate "C" not null,
  expires_at timestamptz not null
);
create index auth_session_tokens_expires_at on auth_session_tokens (expires_at);

-- When its account ended it: its tokens are refused. Such a row is kept until the last of them has expired.
alter table auth_sessions add column ended_at timestamptz;
create index auth_sessions_ended on auth_sessions (collection, record) where ended_at is not null;

insert into auth_session_tokens (token_hash, session, expires_at)
select distinct on (token_hash) token_hash, id, expires_at from auth_sessions order by token_hash, created desc;
