-- Where accounts and API keys may send to (sms_is_destination). Locks the tables for an instant, as the
-- columns have constant defaults. Adds the columns here, because sms_accept reads them, and the optional
-- field of api_keys with its column (see 0003). The start adds the field of user_settings.

alter table if exists user_settings add column if not exists destinations text collate "C" not null default '';
alter table if exists api_keys add column if not exists destinations text collate "C" not null default '';
update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
  || ',{"autogeneratePattern":"","help":"","hidden":false,"id":"text758334403","max":1000,"min":0,"name":"destinations",'
  || '"pattern":"^[+-]?[1-9][0-9]{0,14}(,[+-]?[1-9][0-9]{0,14})*$","presentable":false,"primaryKey":false,'
  || '"required":false,"system":false,"type":"text"}]')::json
where id = 'api_keys' and not exists (select from json_array_elements(data -> 'fields') f where f ->> 'name' = 'destinations');
