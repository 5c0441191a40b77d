-- When the proofs of people were given, so that a session, a link to a provider or an authenticator app that
-- is made anew does not count as a new proof. Adding the columns locks small tables for a moment.

-- When the person of a session last gave a proof by which second factors may be changed; null: never.
alter table auth_sessions add column proven_at timestamptz;
update auth_sessions set proven_at = created where method in ('oauth2', 'totp', 'recovery', 'passkey');

-- Until when the app that is being set up may be confirmed.
alter table auth_factors add column pending_until timestamptz;

-- Links to providers that a session made without a fresh proof: a sign-in by them is no fresh proof either.
create table _unproven_links (
  -- Id of the record of _externalAuths, which may be gone.
  link text collate "C" primary key
);

-- What a provider said about people whose sign-in waits for a second proof. Roles follow once it is complete.
create table _provider_claims (
  -- Id of the started sign-in, a record of _mfas.
  mfa text collate "C" primary key,
  provider text collate "C" not null,
  -- The claims as JSON, encrypted.
  sealed text collate "C" not null,
  ends timestamptz not null
);
create index _provider_claims_ends on _provider_claims (ends);
