-- Webhooks limited to lines and numbers: webhook_queue queues no calls about other messages. Locks the table
-- for an instant, as the columns have constant defaults. Adds the columns and their optional fields here,
-- because the function reads the columns (see 0003).

alter table if exists webhooks
  add column if not exists lines text[] collate "C" not null default '{}',
  add column if not exists numbers text collate "C" not null default '';
update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
  || ',{"cascadeDelete":false,"collectionId":"lines","help":"","hidden":false,"id":"relation1325501590","maxSelect":100,'
  || '"minSelect":0,"name":"lines","presentable":false,"required":false,"system":false,"type":"relation"}]')::json
where id = 'webhooks' and not exists (select from json_array_elements(data -> 'fields') f where f ->> 'name' = 'lines');
update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
  || ',{"autogeneratePattern":"","help":"","hidden":false,"id":"text2006895353","max":1000,"min":0,"name":"numbers",'
  || '"pattern":"^\\+?[1-9A-Za-z][0-9A-Za-z .&-]{0,15}\\*?(,\\+?[1-9A-Za-z][0-9A-Za-z .&-]{0,15}\\*?)*$",'
  || '"presentable":false,"primaryKey":false,"required":false,"system":false,"type":"text"}]')::json
where id = 'webhooks' and not exists (select from json_array_elements(data -> 'fields') f where f ->> 'name' = 'numbers');
