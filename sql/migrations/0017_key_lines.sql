-- Lets an API key be limited to lines and get a new secret. Locks the tables only for an instant, because the
-- new columns have constant defaults or none. Adds the column api_keys.lines and its field here, because
-- sms_accept reads the column: see 0003. The server adds the other fields when it starts. Owners may change
-- their keys now. sms_assign and sms_accept have changed.

alter table sms_dispatch
  -- The lines that the API key was limited to when it sent the message; null for all.
  add column lines text[] collate "C";
alter table smsgate_tokens
  -- Prefix of the API key's secret when the token was made; null if the previous release made it.
  add column secret text collate "C";
alter table if exists api_keys add column if not exists lines text[] collate "C" not null default '{}';
update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
  || ',{"cascadeDelete":false,"collectionId":"lines","help":"","hidden":false,"id":"relation1325501590","maxSelect":100,'
  || '"minSelect":0,"name":"lines","presentable":false,"required":false,"system":false,"type":"relation"}]')::json
where id = 'api_keys' and not exists (select from json_array_elements(data -> 'fields') f where f ->> 'name' = 'lines');
update _collections set data = replace(data::text, '"updateRule":null',
  '"updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id)"')::json
where id = 'api_keys';
