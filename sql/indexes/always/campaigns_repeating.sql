-- Counts the repeating campaigns of an account when another one is made.
create index campaigns_repeating on campaigns ("user") where status in ('repeating', 'paused');
