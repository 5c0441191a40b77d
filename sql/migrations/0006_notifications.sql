-- Web Push of new texts to browsers of users, and mails about unanswered ones. New tables: nothing that
-- exists is locked.

-- Browsers that show notifications, as RFC 8030 subscriptions. They end with the user's sessions.
create table push_subscriptions (
  -- SHA-256 of the endpoint.
  id text collate "C" primary key,
  "user" text collate "C" not null,
  endpoint text collate "C" not null,
  -- `{"p256dh","auth"}`
  keys json not null,
  user_agent text collate "C" not null,
  created timestamptz not null default now(),
  -- Calls that failed since the last one that did not.
  failures integer not null default 0
);
create index push_subscriptions_user on push_subscriptions ("user", created);

-- Conversations with new texts of which the user is to be notified, and those notified a moment ago.
create table push_queue (
  conversation text collate "C" primary key,
  "user" text collate "C" not null,
  -- `waiting` for a node, `leased` by one, or `done`.
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'leased', 'done')),
  -- Waiting: the earliest push. Leased: when another node may take it over. Done: when the next may follow.
  due_at timestamptz not null default now()
);
create index push_queue_due on push_queue (due_at) where state <> 'done';

-- Pushes of each account in the hour that ends at `ends`.
create table push_hours (
  "user" text collate "C" primary key,
  pushes integer not null,
  ends timestamptz not null
);

-- How far each user has been mailed about conversations that wait for an answer.
create table reply_mails (
  "user" text collate "C" primary key,
  -- Conversations whose last text is not later were in a mail.
  told_until pb_date not null,
  -- The earliest next mail; while one is being sent, when another node may send it.
  next_at timestamptz not null
);
