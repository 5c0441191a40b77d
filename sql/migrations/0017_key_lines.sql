-- Lines that an API key may send by, and secrets of keys that are replaced. Locks the tables for an instant,
-- as new columns have no default or a constant one. Adds the column `lines` here, because sms_accept reads
-- it, with its optional field (see 0003). The start adds the other fields. Owners may change their keys now.
-- sms_assign and sms_accept have changed.

alter table sms_dispatch
  -- The lines that the API key of the message was limited to when it sent it; null for all.
  add column lines text[] collate "C";
alter table smsgate_tokens
  -- The prefix of the secret of the key that made it; null from a server of the release before.
  add column secret text collate "C";
alter table if exists api_keys add column if not exists lines text[] collate "C" not null default '{}';
update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
  || ',{"cascadeDelete":false,"collectionId":"lines","help":"","hidden":false,"id":"relation1325501590","maxSelect":100,'
  || '"minSelect":0,"name":"lines","presentable":false,"required":false,"system":false,"type":"relation"}]')::json
where id = 'api_keys' and not exists (select from json_array_elements(data -> 'fields') f where f ->> 'name' = 'lines');
update _collections set data = replace(data::text, '"updateRule":null',
  '"updateRule":"user = @request.auth.id && (@request.body.user:isset = false || @request.body.user = @request.auth.id)"')::json
where id = 'api_keys';
