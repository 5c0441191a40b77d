-- The bounds of a sender, for sms_may: those of the account (`owner`) and, if `sender` is an API key, those
-- of the key. `sender` is the sent_by of the texts. `stale` says that the user or the key has changed since
-- the request was checked: `user_version` is the xmin of the user's row at that time, which a change of the
-- key changes, too, and `key_version` is `until` and the time at which the key's use ends, if it does.
-- Without a `user_version` the account itself sends (a campaign, a hook), which must only be enabled, as must
-- the key in whose name it sends a reply. A campaign has the bounds of its key (made_by), which must exist.
create or replace function sms_limits_of(
  owner text, user_version text, key_id text, key_version text, sender text,
  out stale boolean, out destinations text, out key_destinations text, out key_lines text[]
) language plpgsql stable as $$
declare
  maker text := campaign_key(owner, sender, user_version);
begin
  select
    case when sms_limits_of.user_version is null
      then coalesce(s.disabled, false) or maker is not null and k.id is null or coalesce(k.disabled or k.expires_at <> '' and k.expires_at <= pb_text(now()), false)
      else u.xmin::text <> sms_limits_of.user_version end
      or sms_limits_of.key_id is not null
        and (k.id is distinct from sms_limits_of.key_id or case
          when sms_limits_of.key_version = 'until ' then false
          when sms_limits_of.key_version like 'until %' then substr(sms_limits_of.key_version, 7) <= pb_text(now())
          -- a server of the release before gives the result of key_version
          else sms_limits_of.key_version <> key_version(k) end),
    coalesce(s.destinations, ''), coalesce(k.destinations, ''), nullif(k.lines, '{}')
  into stale, destinations, key_destinations, key_lines
  from users u
  left join user_settings s on s."user" = u.id
  left join api_keys k on k.id = coalesce(maker, sms_limits_of.sender) and k."user" = u.id
  where u.id = sms_limits_of.owner;
  stale := coalesce(stale, true);
end $$;
