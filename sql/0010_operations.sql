-- 0010 how long a message has waited in the queue.
-- Why:   readiness and metrics tell the age of the oldest one: 2 ms for a queue of 10,000; of the messages themselves 7.
-- Locks: sms_dispatch for a moment; no row is written, those that are there count from now.
alter table sms_dispatch add column queued_at timestamptz not null default now();
