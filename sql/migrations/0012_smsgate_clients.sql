-- What SMSGate's client API (`/api/3rdparty/v1`) keeps of its own. New tables: nothing that exists is locked.

-- Sends that came through it, by the id that their client knows them by. Written in the transaction that
-- accepts the send, so that a second send with the same id is refused on any number of nodes.
create table smsgate_sends (
  "user" text collate "C" not null,
  id text collate "C" not null,
  -- The message of a send to one recipient, the batch_id of a send to several.
  ref text collate "C" not null,
  is_batch boolean not null,
  -- `created` of its messages.
  created pb_date not null,
  primary key ("user", id)
);
create index smsgate_sends_by_time on smsgate_sends ("user", created, id);
create index smsgate_sends_by_ref on smsgate_sends (ref);
