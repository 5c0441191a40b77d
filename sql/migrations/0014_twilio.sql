-- Twilio's Messaging API: what a message, a number and a text have there alone, and deliveries with an
-- address of their own. New tables; the columns of webhook_dispatch and webhook_payloads have no default, so
-- each takes a lock for a moment.

-- Messages that came by Twilio's API, as a request or as the answer to a text.
create table twilio_messages (
  message text collate "C" primary key,
  -- The API key whose token signs the status callbacks.
  api_key text collate "C" not null,
  -- Where the statuses go; '' for nowhere.
  callback text collate "C" not null default '',
  -- The request named the messaging service.
  service boolean not null default false,
  -- The message is a TwiML answer.
  reply boolean not null default false,
  -- The last status of a callback: 0 none, 1 queued, 2 sent, 3 a final one. It only grows.
  told smallint not null default 0
);

-- How the SmsUrl of a device is called.
create table twilio_numbers (
  device text collate "C" primary key,
  sms_method text collate "C" not null check (sms_method in ('GET', 'POST'))
);

-- Incoming texts whose TwiML was taken: its messages are sent once, whatever is retried.
create table twilio_answers (
  message text collate "C" primary key,
  -- The messages that the answer asked for; null once all were sent.
  replies json,
  created timestamptz not null default now()
);

-- Where a delivery goes that belongs to no webhook: {"url","api_key"}.
alter table webhook_dispatch add column target json;
alter table webhook_payloads add column target json;
