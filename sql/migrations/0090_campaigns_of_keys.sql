-- API keys may make campaigns, whose bounds sms_limits_of and sms_refusals then read: a server of the release
-- before, which lacks this migration, must not put its own functions back. Keys may have one scope more.
-- Locks the row of one collection for a moment.
do $$
begin
  if to_regclass('api_keys') is null then
    return; -- a new database
  end if;
  update _collections set data = replace(data::text, '"maxSelect":17', '"maxSelect":18')::json
  where id = 'api_keys' and data::text like '%"maxSelect":17%';
end $$;
