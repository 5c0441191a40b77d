-- The shared inbox: who sent a text, whose conversation it is, who is notified. The tables are locked for an
-- instant: the columns have constant defaults. Only conversations is rewritten (100,000 rows: 1 s).
-- The columns of collections are made here, since functions write them before collections are looked at. The
-- tables of a new installation do not exist yet: their collections have these fields.

alter table if exists sms_messages add column if not exists sent_by text collate "C" not null default '';
-- An optional field whose column exists counts as removed on purpose: the field comes with its column, unless
-- the installation has a field of this name.
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

-- The sender, as in sms_messages.sent_by. Servers of the release before leave it out.
alter type sms_request add attribute sent_by text;

-- Whose browser it is: id of the membership, '' for the account's owner.
alter table push_subscriptions add column sender text collate "C" not null default '';

-- conversations_waiting took its place.
drop index if exists conversations_unanswered;
