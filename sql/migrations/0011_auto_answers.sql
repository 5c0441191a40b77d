-- Automatic answers: received texts that are still to be looked at, and the answers that were sent.

-- Texts that may get an answer, of users with automatic answers. Written with the text, so none is lost.
create table auto_answer_queue (
  message text collate "C" primary key,
  "user" text collate "C" not null,
  -- The next look. A node that takes a row sets it ahead, so that another takes over if it dies.
  due_at timestamptz not null default now(),
  created timestamptz not null default now()
);
create index auto_answer_queue_due on auto_answer_queue (due_at);

-- Answers of the last days by number: each answer goes to a number once in some hours, and a number gets only
-- so many answers a day, which ends the talk of two machines.
create table auto_answers_sent (
  "user" text collate "C" not null,
  number text collate "C" not null,
  answer text collate "C" not null,
  -- The text that was answered.
  message text collate "C" primary key,
  at timestamptz not null default now()
);
create index auto_answers_sent_number on auto_answers_sent ("user", number, at);
