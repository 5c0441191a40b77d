-- The version of a cached row of api_keys: all columns but those that only say when it was last used.
create or replace function key_version(k anyelement) returns text language sql immutable parallel safe as $$
  select hashtextextended((to_jsonb(k) - '{last_used_at,last_used_ip,last_used_prefix}'::text[])::text, 0)::text
$$;
