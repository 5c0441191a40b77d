-- The shared inbox: who sent a text, who is assigned a conversation, who is notified. Locks the tables for an
-- instant, as the columns have constant defaults. Only conversations is rewritten (100,000 rows: 1 s). Adds
-- columns of collections here, because functions write them before the start updates collections. On a new
-- installation these tables do not exist yet: they are created with these fields.

alter table if exists sms_messages add column if not exists sent_by text collate "C" not null default '';
-- Adds the field, too: a column without its optional field would count as a field that somebody removed. Not
-- if the installation has a field of this name.
update _collections set data = replace(data::text, (data -> 'fields')::text, left((data -> 'fields')::text, -1)
  || ',{"cascadeDelete":false,"collectionId":"senders","help":"","hidden":false,"id":"relation3279478006","maxSelect":1,'
  || '"minSelect":0,"name":"sent_by","presentable":false,"required":false,"system":false,"type":"relation"}]')::json
where id = 'sms_messages' and not exists (select from json_array_elements(data -> 'fields') f where f ->> 'name' = 'sent_by');
alter table if exists conversations
  add column if not exists assignee text collate "C" not null default '',
  add column if not exists assigned_at pb_date,
  add column if not exists blocked boolean not null default false,
  add column if not exists follow_up_at pb_date,
  add column if not exists last_sender text collate "C" not null default '';
alter table if exists user_settings
  add column if not exists assign text collate "C" not null default '',
  add column if not exists notify text collate "C" not null default '';

-- The sender, as in sms_messages.sent_by; null from servers of the release before.
alter type sms_request add attribute sent_by text;

-- The person who uses the browser: id of the membership, '' for the account's owner.
alter table push_subscriptions add column sender text collate "C" not null default '';

-- The index conversations_waiting replaces it.
drop index if exists conversations_unanswered;
