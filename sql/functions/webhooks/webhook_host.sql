-- The host and port of a URL in small letters; '' without one. A user name in the URL counts as part of the
-- host.
create or replace function webhook_host(url text) returns text language sql immutable parallel safe as $$
  select coalesce(lower(substring(url from '^[A-Za-z]+://([^/?#]*)')), '')
$$;
