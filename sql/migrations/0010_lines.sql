-- Lines: which SIM each message leaves by, and what each line has used up. New columns have constant
-- defaults, so no row is rewritten.

alter table sms_dispatch
  -- The line of the message, '' until one is chosen.
  add column line text collate "C" not null default '',
  -- The request named the line. Such a message never moves to another line.
  add column line_pinned boolean not null default false,
  -- The local day (YYYY-MM-DD) whose room on a limited line the message uses; '' if the line has no limits,
  -- '-' if the line was disabled: the sweep gives the message to another one.
  add column charged text collate "C" not null default '',
  -- The time zone in whose quiet hours the message waits, '' for that of the account; null: it never does.
  add column quiet_zone text collate "C",
  -- Why a message that is due is still `pending`, as in sms_messages.waiting_for; '' if it is only scheduled.
  add column waiting_for text collate "C" not null default '';
-- Messages that wait for room, in the order in which they get it.
create index sms_dispatch_waiting on sms_dispatch ("user", priority desc, position)
  where state = 'pending' and waiting_for <> '';

-- Messages that are charged to a day, the earliest of each user first.
create index sms_dispatch_charged on sms_dispatch ("user", charged) where state = 'assigned' and charged <> '';

-- The line of the messages, so that `per_minute` of a line is kept.
alter table device_handouts add column line text collate "C" not null default '';

-- What each line has used of its limits: texts of the local day `day`, texts and different recipients of the
-- local month `month`. Only lines with limits are counted. An older day or month counts as nothing.
create table line_use (
  line text collate "C" primary key,
  day text collate "C" not null default '',
  day_texts integer not null default 0,
  month text collate "C" not null default '',
  month_texts integer not null default 0,
  recipients integer not null default 0,
  -- When the line last took a turn among some of the lines: the line with the lowest number is next.
  turn bigint not null default 0
);

-- The recipients that count for `monthly_recipients` of a line, with the texts to each. A row goes with its
-- last text that was not sent.
create table line_recipients (
  line text collate "C" not null,
  month text collate "C" not null,
  number text collate "C" not null,
  texts integer not null,
  primary key (line, month, number)
);

-- A message that leaves the queue, or goes back to `pending`, before a device had it gives its room back.
create trigger line_freed after delete on sms_dispatch
  for each row when (old.charged <> '' and old.state <> 'sending') execute function sms_line_freed();
create trigger line_returned after update of state on sms_dispatch
  for each row when (new.state = 'pending' and old.state <> 'pending' and old.charged <> '')
  execute function sms_line_freed();
