-- Only for servers of the previous release, which call this first for plain texts. It returns null, so that
-- they call sms_accept.
create or replace function sms_accept_plain(
  owner text, moment text, since text, default_quota float8, node text, sticky text,
  sender_version text, sender_key text, key_version text, sender text,
  ids text[], recipients text[], contents text[], parts float8[], ranks int[], ends text[], safeties text[],
  out wake text[]
) language plpgsql as $$
begin
end $$;

create or replace function sms_accept_plain(
  owner text, moment text, since text, default_quota float8, node text, sticky text,
  sender_version text, sender_key text, key_version text,
  ids text[], recipients text[], contents text[], parts float8[], ranks int[], ends text[], safeties text[],
  out wake text[]
) language plpgsql as $$
begin
end $$;
