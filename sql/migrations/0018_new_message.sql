-- Adds the type of the messages that sms_accept collects, to replace sms_draft. Locks no table. sms_draft
-- stays unchanged: a call of sms_accept that began before the migration makes values of that type, and would
-- fail if the type got more attributes.

-- A message that sms_accept stores: columns of sms_messages and sms_dispatch.
create type sms_new_message as (
  id text,
  status text,
  "to" text,
  "from" text,
  body text,
  segments float8,
  device text,
  line text,
  pinned boolean,
  line_pinned boolean,
  charged text,
  waiting_for text,
  zone text,
  due_at timestamptz,
  batch text,
  priority int,
  sim int,
  scheduled_at text,
  expires_at text,
  guarantee text,
  ref text,
  -- Whether the message becomes the last text of the conversation with its recipient.
  is_answer boolean,
  sealed text,
  lines text[]
);
